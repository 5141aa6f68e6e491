"""The example of the page that registries show."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parent.parent / "README.md"


def test_the_example_runs():
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    exec(compile(code, str(PAGE), "exec"), {})
