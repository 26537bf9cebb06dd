#!/bin/sh
# Install Chromium and npm if they are missing and can be installed, lint the page's sources, then test it in Chromium.
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-.venv/bin/python}
case ${CI:-} in true | 1) absent=1 ;; *) absent=0 ;; esac # the exit code where a program is missing: CI must have it
# Install a Debian package unless its program is there; says why where it cannot.
installed() {
    command -v "$1" >/dev/null && return 0
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "no $1 here, and no way to install it without root and apt-get" >&2
        return 1
    fi
    log=$(mktemp)
    apt-get update -qq >"$log" 2>&1 || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >>"$log" 2>&1 && return 0
    echo "$1 could not be installed: $(tail -n 1 "$log")" >&2
    return 1
}
if ! installed chromium; then
    echo "skipped: the tests of the report in a browser" >&2
    exit "$absent"
fi
if installed npm; then
    npm --prefix tests/browser ci --ignore-scripts --no-audit --no-fund --loglevel error >/dev/null
    (cd tests/browser && node_modules/.bin/biome check --config-path . ../../scripts/seedbed/report/assets biome.json)
else
    echo "skipped: the linter of the page and axe-core" >&2
    [ "$absent" = 0 ] || exit "$absent"
fi
SEEDBED_NEEDS_CHROMIUM=1 "$python" -m pytest tests/browser -n "${BROWSER_WORKERS:-2}" --dist loadfile "$@"
