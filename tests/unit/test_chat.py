"""The connection under a conversation."""

import asyncio
import socket

import pytest

from seedbed.client.outcomes import Failure, Kind
from seedbed.client.transport import Chat, Watch, kept_alive, open_session


def test_a_connection_notices_a_peer_that_has_vanished() -> None:
    with kept_alive((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 1))) as made:
        assert made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60


def test_a_session_has_no_total_time_out_no_limit_and_no_compression() -> None:
    async def look() -> None:
        async with open_session() as session:
            assert session.timeout.total is None
            assert session.timeout.sock_read is None
            assert session.connector is not None
            assert session.connector.limit == 0
            assert session.headers["Accept-Encoding"] == "identity"
            assert not session.trust_env

    asyncio.run(look())


@pytest.mark.parametrize("model", ["m-8b", "m2", "other", "m-2026-preview", "x-m"])
def test_another_model_in_the_answer_stops_the_job(model: str) -> None:
    async def look() -> None:
        async with open_session() as session:
            chat = Chat(session, Watch(None, None), "m")
            for same in (None, "m", "m-2026-01-31", "m-20260131"):
                chat.check_model(same)
            with pytest.raises(Failure) as raised:
                chat.check_model(model)
            assert raised.value.kind is Kind.FATAL

    asyncio.run(look())
