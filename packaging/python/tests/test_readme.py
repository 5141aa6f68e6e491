"""The examples of the page that registries show, and of docs/python.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import transcript_doctor

ROOT = Path(__file__).parents[3]


def examples(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def test_the_example_runs():
    (code,) = examples(ROOT / "packaging/python/README.md")
    exec(compile(code, "README.md", "exec"), {})


def test_the_examples_of_the_manual_are_valid():
    codes = examples(ROOT / "docs/python.md")
    assert len(codes) >= 6
    for code in codes:
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and node.module == "transcript_doctor":
                assert all(hasattr(transcript_doctor, name.name) for name in node.names), code
