#!/usr/bin/env bash
# Runs the adapters for Ray Data and Spark on this machine: the same results as one local run, what happens when a process is
# killed, and the throughput of a core beside that of the plain command: for rows, then for paths.
#
#   packaging/engines.sh [FOLDER]
#
# FOLDER, outside this repository, keeps the virtual environment for the next run; without it, a temporary one is used. Needs
# Rust, Python 3.10, Java 17 and a network: Ray and Spark are about 1 GB.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -eq 1 ]; then
    folder=$1
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi

python3 -m venv "$folder"
export PATH=$folder/bin:$PATH
pip install --quiet maturin pytest
rm -rf "$folder/wheels"
maturin build --quiet --locked --release --out "$folder/wheels"
pip install --quiet --force-reinstall --no-deps "$folder"/wheels/*.whl
pip install --quiet --find-links "$folder/wheels" 'transcript-doctor[ray,spark]'

# Workers are to run this Python, and nothing is to be sent to anybody.
export PYSPARK_PYTHON=$folder/bin/python RAY_USAGE_STATS_ENABLED=0 RAY_AUTH_MODE=disabled
# With other work on the machine, workers of a lower priority would wait for minutes.
export RAY_worker_niceness=0
python -m pytest -p no:cacheprovider -v packaging/python/engines
python packaging/python/engines/throughput.py
python packaging/python/engines/paths.py
