#!/usr/bin/env python3
"""Writes THIRD-PARTY-NOTICES.txt: the crates that are part of the program, and their license texts.

    packaging/notices.py [--check]

With --check nothing is written, and a file that is not current is an error. Needs cargo, and the
sources of the crates in its registry folder. Where a crate offers MIT among others, that text is
taken.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "THIRD-PARTY-NOTICES.txt"
HEAD = """Third-party notices of transcript-doctor

The program contains the crates below. Written by packaging/notices.py.
"""


def cargo(*words: str) -> str:
    """Run cargo, and return what it prints."""
    ran = subprocess.run(["cargo", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return ran.stdout


def shipped() -> list[tuple[str, str, str]]:
    """Find name, version, and license of each crate in the program, on every platform."""
    targets = json.loads((ROOT / "packaging/npm/targets.json").read_text("utf-8"))
    options = [word for target in targets for word in ("--target", target)]
    tree = cargo(
        "tree", "--locked", "--edges", "normal", *options, "--prefix", "none", "--format", "{p}|{l}"
    )
    rows = set()
    for line in filter(None, tree.splitlines()):
        package, _, license_name = line.removesuffix(" (*)").partition("|")
        name, version = package.split()[:2]
        if name != "transcript-doctor":
            rows.add((name, version.removeprefix("v"), license_name))
    return sorted(rows)


def texts(folder: Path, license_name: str) -> list[str]:
    """Read the license texts of a crate, and its notices."""
    named = sorted(
        path
        for path in folder.iterdir()
        if path.is_file()
        and path.name.upper().startswith(
            ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
        )
    )
    mit = [path for path in named if "MIT" in path.name.upper()]
    if mit and "MIT" in license_name and " AND " not in license_name:
        notices = [path for path in named if path.name.upper().startswith(("NOTICE", "COPYRIGHT"))]
        named = mit + notices
    if not named:
        # The text is in the repository of the crate, not in the crate.
        own = (ROOT / "LICENSE-MIT").read_text("utf-8").splitlines()
        return [
            "\n".join(
                "Copyright (c) its authors" if line.startswith("Copyright") else line
                for line in own
            ).strip()
        ]
    return [
        "\n".join(line.rstrip() for line in path.read_text("utf-8", "replace").strip().splitlines())
        for path in named
    ]


def notices() -> str:
    """Compose the whole file."""
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1"))
    folders = {
        (one["name"], one["version"]): Path(one["manifest_path"]).parent
        for one in metadata["packages"]
    }
    rows = shipped()
    out = [HEAD]
    out += [f"{name} {version} ({license_name})" for name, version, license_name in rows]
    users: dict[str, list[str]] = {}
    for name, version, license_name in rows:
        for text in texts(folders[name, version], license_name):
            users.setdefault(text, []).append(name)
    for text, names in users.items():
        out += ["", "-" * 80, ", ".join(names), "-" * 80, "", text]
    return "\n".join(out) + "\n"


def main() -> int:
    """Write the file, or compare it."""
    text = notices()
    if "--check" not in sys.argv[1:]:
        OUT.write_text(text, "utf-8")
        return 0
    if OUT.read_text("utf-8") == text:
        return 0
    print(f"{OUT.name} is not current: run packaging/notices.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
