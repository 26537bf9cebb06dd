#!/bin/sh
# Install Chromium and npm if they are missing and can be installed, lint the page's sources, then test it in Chromium.
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-.venv/bin/python}
missing=
for program in chromium npm; do
    command -v $program >/dev/null || missing="$missing $program"
done
if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "skipped: no$missing here, and no way to install it without root and apt-get" >&2
        exit 0
    fi
    log=$(mktemp)
    apt-get update -qq >"$log" 2>&1 || true
    # shellcheck disable=SC2086
    if ! DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >>"$log" 2>&1; then
        echo "skipped:$missing could not be installed: $(tail -n 1 "$log")" >&2
        exit 0
    fi
fi
npm --prefix tests/browser ci --ignore-scripts --no-audit --no-fund --loglevel error >/dev/null
(cd tests/browser && node_modules/.bin/biome check --config-path . ../../scripts/reporting/page biome.json)
SEEDBED_NEEDS_CHROMIUM=1 "$python" -m pytest tests/browser -n "${BROWSER_WORKERS:-2}" --dist loadfile "$@"
