#!/usr/bin/env python3
"""Names places where our texts do not read like plain American English, or spell a name as its owner does not.

Reads the pages, and the texts and comments in `src`. What it finds are hints for who writes and who reviews: it never fails.
    tools/prose.py [PATH...]
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Phrases that read like a translation, or that have a better word, and what we say instead.
PHRASES = {
    "recording": "transcript",
    "recordings": "transcripts",
    "hangs on": "its parent is",
    "hang on": "set the parent",
    "judged for": "checked against",
    "will refuse the": "will reject the",
    "is it safe to go on": "safe to continue",
    "goes on": "continues",
    "went on": "continued",
    "go on with": "continue",
    "safe to compact": "safe cut points",
    "left behind": "abandoned",
    "behind": "after",
    "in front of": "before",
    "beside": "next to",
    "marked error result": "error result that is marked as ours",
    "of no format": "unknown format",
    "it loads, but": "the session opens, but",
    "by hand)": "to decide)",
    "torn apart": "separated",
    "is no": "is not",
    "are no": "are not",
    "for ever": "forever",
    "whom": "who",
    "stands": "is",
    "stand": "are",
    "told": "shown",
    "tells": "shows",
    "looked at": "checked",
    "not examined": "not checked",
    "passed over": "skipped",
    "parked": "removed",
    "parks": "removes",
    "parking": "removing",
    "any more": "anymore",
    "is wanted": "expected",
    "is meant": "means",
    "are meant": "means",
    "of one kind": "of the same kind",
    "of one name": "with the same name",
    "have one id": "have the same ID",
    "has one id": "has the same ID",
    "with one id": "with the same ID",
    "an id of the text": "an ID from the text",
    "becomes a request": "the next request",
    "of a known agent": "of an agent",
    "problems in order": "problems (cause unknown)",
    "and so do we": "as do we",
    "does not look at": "does not check",
    "also for each of": "even for each of",
    "also the one": "even the one",
    "also when": "even when",
    "and before)": "and earlier)",
    "ran: perhaps": "may have run",
    "perhaps twice": "may have run twice",
    "nothing of that kind": "this session has no such problem",
    "takes it for": "treats it as",
    "in kind": "the same",
    "lies": "is wrong",
    "mends": "repairs",
    "mended": "repaired",
    "at rest": "at its end",
    "as you like": "at your option",
    "of itself": "by itself",
}

# Good English around such a phrase.
ALLOWED = ["there is no", "there are no", "is no longer", "are no longer", "for whom", "tells them to"]

# Names as their owners write them.
NAMES = """
Amazon Bedrock
Anthropic
Chat Completions
Claude Code
Cline
Codex
Copilot CLI
DeepSeek
Docker
Factory Droid
Gemini
Gemini CLI
ID
IDs
GitHub
GitHub Actions
GitLab
HTML
Inspect AI
JSON
JSONL
JUnit
Kilo Code
Kimi CLI
Kimi Code
LangChain
LangGraph
LangSmith
Langfuse
Linux
LiteLLM
LLaMA-Factory
macOS
Markdown
mini-SWE-agent
Mistral
OpenAI
OpenClaw
OpenHands
OpenTelemetry
Postgres
Python
Qwen Code
Responses API
Roo Code
SARIF
ShareGPT
SWE-agent
TRAE
UTF-8
UUID
Vercel AI SDK
VS Code
Zstandard
"""

# Names that nothing else is called by in small letters.
PLAIN = {"ID", "IDs", "JSON", "JSONL", "UUID"}

# Files whose texts are quoted from hosts and providers.
QUOTES = ["src/targets/", "errors.rs", "kinds.rs", "members/shared.rs", "writer.rs"]

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
CODE = re.compile(r"``.*?``|`[^`]*`")
EDGE = r"(?<![\w/.#@$&:<{-])"
END = r"(?![\w/#=(-]|\.\w)"


def phrase(words):
    return re.compile(EDGE + re.escape(words) + END, re.IGNORECASE)


def spellings(name):
    """The name in any case, and with blanks for hyphens."""
    return phrase(name) if " " not in name and "-" not in name else re.compile(
        EDGE + re.sub(r"[- ]", "[- ]", name) + END, re.IGNORECASE
    )


PHRASE_RULES = [(phrase(old), new) for old, new in PHRASES.items()]
NAME_RULES = [(spellings(name), name) for name in NAMES.strip().splitlines()]


def texts_of_code(path):
    """What people read of a file of code: its comments, and its strings of several words."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line == "#[cfg(test)]":
            return
        code, _, comment = line.partition("//")
        yield from ((number, text) for text in STRING.findall(code) if " " in text.strip())
        if comment:
            yield number, comment.lstrip("/!")


def texts_of_page(path):
    """The prose of a page, without its blocks of code."""
    is_code = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield number, line


def hints(text, is_quoted):
    text = CODE.sub("`", text)
    plain = text.lower()
    for allowed in ALLOWED:
        plain = plain.replace(allowed, "")
    for rule, new in PHRASE_RULES:
        if found := rule.search(plain):
            yield f"say {new!r} for {found.group()!r}"
    for rule, name in [] if is_quoted else NAME_RULES:
        for found in rule.findall(text):
            # What is written small is often the name of a format, a package or a command.
            if found != name and (not found.islower() or name in PLAIN):
                yield f"write {name!r} for {found!r}"


def files(paths):
    for path in paths:
        below = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (own for own in below if own.suffix in {".rs", ".md"})


def main():
    given = [Path(path).resolve() for path in sys.argv[1:]]
    pages = [ROOT / name for name in ["src", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]]
    count = 0
    for path in files(given or pages):
        name = path.relative_to(ROOT).as_posix()
        is_quoted = any(quote in name for quote in QUOTES)
        texts = texts_of_code if path.suffix == ".rs" else texts_of_page
        for number, text in texts(path):
            for hint in hints(text, is_quoted):
                print(f"{name}:{number}: {hint}: {text.strip()}")
                count += 1
    print(f"{count} hints")


main()
