#!/usr/bin/env bash
# Makes what a release offers besides wheels: an archive for each target, the npm packages, and the checksums of all files.
#
#   packaging/release.sh PROGRAM BINARIES OUT
#
# PROGRAM runs on this machine and prints completions and manual pages, which are the same for all targets.
# BINARIES/<target>/ has the program of each target. OUT may already have wheels; the checksums count them.
set -euo pipefail

if [ $# -ne 3 ]; then
    echo "usage: packaging/release.sh PROGRAM BINARIES OUT" >&2
    exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "$1")
binaries=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/completions" "$work/man"
# The file names that each shell looks for.
"$program" completions bash > "$work/completions/transcript-doctor.bash"
"$program" completions zsh > "$work/completions/_transcript-doctor"
"$program" completions fish > "$work/completions/transcript-doctor.fish"
"$program" completions powershell > "$work/completions/transcript-doctor.ps1"
"$program" man "$work/man"

for folder in "$binaries"/*/; do
    name=transcript-doctor-$(basename "$folder")
    mkdir "$work/$name"
    cp "$folder"/* "$root"/{README.md,CHANGELOG.md,LICENSE-APACHE,LICENSE-MIT,THIRD-PARTY-NOTICES.txt} "$work/$name"
    cp -r "$work/completions" "$work/man" "$work/$name"
    # Stored artifacts of a workflow lose this bit.
    chmod 755 "$work/$name"/transcript-doctor*
    case "$name" in
        *-windows-*) (cd "$work" && python3 -m zipfile -c "$out/$name.zip" "$name") ;;
        # In a fixed order and without an owner: the same input gives the same archive.
        *) tar -C "$work" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -czf "$out/$name.tar.gz" "$name" ;;
    esac
done

node "$root/packaging/npm/build.js" "$binaries" "$work/npm"
for package in "$work"/npm/*; do
    npm pack --silent --pack-destination "$out" "$package" > "$work/packed"
done

cd "$out"
rm -f SHA256SUMS
sha256sum -- * > "$work/SHA256SUMS"
mv "$work/SHA256SUMS" .
