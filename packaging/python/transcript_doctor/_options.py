"""Options of the command line, as Python has them: `min_confidence="likely"`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

Rules = str | Sequence[str]
Target = Literal[
    "auto",
    "anthropic",
    "openai-responses",
    "openai-chat",
    "bedrock",
    "gemini",
    "mistral",
    "strictest",
]


class Options(TypedDict, total=False):
    """What is checked, and how. `transcript-doctor check --help` explains each of them."""

    from_: str
    target: Target
    client: Literal["auto", "current", "strict"]
    select: Rules
    extend_select: Rules
    ignore: Rules
    level: str | Sequence[str]
    min_confidence: Literal["guess", "likely", "certain"]
    jobs: int


class CheckOptions(Options, total=False):
    """The same of a file, or a folder of them."""

    exclude: str | Sequence[str]
    since: str
    hidden: bool
    no_ignore: bool
    baseline: str
    rows: bool


class RepairOptions(Options, total=False):
    """Which fixes are applied. `transcript-doctor repair --help` explains each of them."""

    unsafe: bool
    only: Rules
    answer_pending: bool
    prefer: Literal["rank", "first", "last"] | int
    call: str
    strategy: Literal["least-loss", "remove-turn"]


class ExplainOptions(TypedDict, total=False):
    """What is explained. `transcript-doctor explain --help` explains each of them."""

    from_: str
    target: Target
    error: str
    call: str
    find: bool
    timeline: Literal["all", "around", "calls"]
    context: int
    around: str | int
    no_story: bool
    rows: bool


class FileOptions(RepairOptions, total=False):
    """The same, and how a file is written."""

    output: str
    force: bool
    dry_run: bool
    write_style: Literal["in-place", "branch"]
    wait: int
    keep_mtime: bool
    backup_dir: str
    rows: bool


def words(options: Sequence[str], keywords: Mapping[str, object]) -> list[str]:
    """Write options as they are typed. A list gives an option several times, False leaves it out.

    A name that is a word of Python ends with an underscore.
    """
    typed = list(options)
    for name, value in keywords.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            typed.append(option)
            continue
        values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        typed += [f"{option}={one}" for one in values]
    return typed
