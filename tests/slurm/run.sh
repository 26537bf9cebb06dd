#!/bin/sh
# Install Slurm if it is missing and can be installed, then run the tests on clusters of their own (loopback only).
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-.venv/bin/python}
needed="slurmctld slurmd slurm-client munge slurmdbd mariadb-server"
case ${CI:-} in true | 1) absent=1 ;; *) absent=0 ;; esac # the exit code where a program is missing: CI must have it
missing=
for program in slurmctld slurmd sbatch munged slurmdbd mariadbd; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || missing=$program
done
if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "skipped: Slurm is not installed, and cannot be without root and apt-get" >&2
        exit "$absent"
    fi
    # packages must not start daemons of their own; the file is removed again if it was not there
    policy=/usr/sbin/policy-rc.d
    if [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' >$policy
        chmod +x $policy
        trap 'rm -f $policy' EXIT
    fi
    log=$(mktemp)
    apt-get update -qq >"$log" 2>&1 || true
    # shellcheck disable=SC2086
    if ! DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $needed >>"$log" 2>&1; then
        echo "skipped: Slurm could not be installed: $(tail -n 1 "$log")" >&2
        exit "$absent"
    fi
fi
SEEDBED_NEEDS_SLURM=1 "$python" -m pytest tests/slurm -n "${SLURM_WORKERS:-6}" --dist loadgroup "$@"
