"""The key of a run where an engine takes it from a file: seen by its owner alone, gone with the server."""

from pathlib import Path

from tests.serving.workplace import Workplace


def test_the_key_stands_in_a_file_that_its_owner_alone_can_read(tmp_path: Path) -> None:
    place = Workplace(tmp_path / "work")
    try:
        words = ["sh", "-c", 'cat "$0"; stat -c %a "$0"; echo "$0"; exec sleep 60', "{scratch}/key.yaml"]
        place.start({"m": {"kind": "command", "command": words}})
        log = place.folder / "logs" / "server" / "m-1-server.log"
        place.until(lambda: log.exists() and len(log.read_text().splitlines()) >= 4, "a key", 30, ["m"])
        lines = log.read_text().splitlines()[1:4]
        key = (place.folder / "run/m/key").read_text()
        assert lines[:2] == [f'api-key: "{key}"', "600"]
        assert len(key) == 64
        assert Path(lines[2]).is_file()
        place.stop()
        assert not Path(lines[2]).exists()
    finally:
        place.end()
