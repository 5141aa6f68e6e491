#!/usr/bin/env bash
# What action.yml runs: installs the program of a release, then checks. Runs on Linux, macOS (Bash 3.2) and Windows.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)

fail() {
    echo "::error::$1"
    exit 1
}

# Downloads a release into a folder that later steps find programs in, too.
install() {
    local version target archive repository releases folder
    version=${INPUT_VERSION:-$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml")}
    case "$RUNNER_OS-$RUNNER_ARCH" in
        Linux-X64) target=x86_64-unknown-linux-musl ;;
        Linux-ARM64) target=aarch64-unknown-linux-musl ;;
        macOS-X64) target=x86_64-apple-darwin ;;
        macOS-ARM64) target=aarch64-apple-darwin ;;
        Windows-X64) target=x86_64-pc-windows-msvc ;;
        *) fail "no release for $RUNNER_OS on $RUNNER_ARCH: build the program, and set the input binary" ;;
    esac
    archive=transcript-doctor-$target.tar.gz
    if [ "$RUNNER_OS" = Windows ]; then
        archive=transcript-doctor-$target.zip
    fi
    # The runner keeps actions in _actions/OWNER/NAME/REF; github.action_repository is empty in composite actions
    # (actions/runner#2473). A workflow of this repository uses its checkout.
    repository=$GITHUB_REPOSITORY
    case "$root" in
        */_actions/*/*/*) repository=$(cut -d / -f 1-2 <<< "${root#*/_actions/}") ;;
    esac
    releases=$GITHUB_SERVER_URL/$repository/releases/download/v$version
    folder=$(mktemp -d "$RUNNER_TEMP/transcript-doctor.XXXXXX")
    # Each step says itself what to do if it fails: on the left of ||, Bash does not stop at the first error.
    for file in SHA256SUMS "$archive"; do
        curl --fail --silent --show-error --location --retry 3 --output "$folder/$file" "$releases/$file" \
            || fail "no transcript-doctor $version in $releases"
    done
    (cd "$folder" && grep " $archive\$" SHA256SUMS | sha256 --check) || fail "$archive is not what SHA256SUMS says"
    case "$archive" in
        *.zip) unzip -q -d "$folder" "$folder/$archive" ;;
        *) tar -C "$folder" -xzf "$folder/$archive" ;;
    esac
    program=$folder/transcript-doctor-$target/transcript-doctor
    dirname "$program" >> "$GITHUB_PATH"
}

# macOS has the second one.
sha256() {
    if command -v sha256sum > /dev/null; then
        sha256sum "$@"
    else
        shasum --algorithm 256 "$@"
    fi
}

program=$INPUT_BINARY
if [ -z "$program" ]; then
    install
fi

command=("$program" check --report "sarif=$INPUT_SARIF")
while IFS= read -r option; do
    if [ -n "$option" ]; then command+=("$option"); fi
done <<< "$INPUT_OPTIONS"
command+=(--)
while IFS= read -r path; do
    if [ -n "$path" ]; then command+=("$path"); fi
done <<< "$INPUT_PATHS"

status=0
"${command[@]}" || status=$?
{
    echo "status=$status"
    echo "sarif=$INPUT_SARIF"
} >> "$GITHUB_OUTPUT"
exit "$status"
