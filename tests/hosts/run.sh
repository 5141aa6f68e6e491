#!/usr/bin/env bash
# Asks real hosts whether they agree with transcript-doctor: tests/hosts/run.sh [HOST…] [--latest]. README.md beside this says more.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$here/../../target/release/transcript-doctor" ] && [[ " $* " != *" --bin"* ]] && [[ " $* " != *" --list "* ]] && [[ " $* " != *" --current "* ]]; then
    (cd "$here/../.." && cargo build --release --locked)
fi
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$here/suite.py" "$@"
