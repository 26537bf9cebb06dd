#!/bin/sh
# The tests against NVIDIA Dynamo's own frontend and simulated workers; DYNAMO_PYTHON names the interpreter that has it.
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-.venv/bin/python}
: "${DYNAMO_PYTHON:?expected the interpreter that has Dynamo, such as .venv-dynamo/bin/python}"
"$DYNAMO_PYTHON" -c "import dynamo.frontend, dynamo.mocker"
export DYNAMO_PYTHON
"$python" -m pytest tests/client/test_dynamo.py tests/dynamo -n "${DYNAMO_WORKERS:-2}" --dist loadfile "$@"
