"""Rows that tests share."""

from __future__ import annotations

import json
from typing import Any

import pytest

CALL = {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
HEALTHY: list[dict[str, Any]] = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hi"},
]
STUCK: list[dict[str, Any]] = [
    {"role": "user", "content": "List"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "user", "content": "Go on"},
]


def row(key: str, messages: list[dict[str, Any]]) -> bytes:
    return json.dumps({"custom_id": key, "messages": messages}).encode()


@pytest.fixture(autouse=True)
def no_configuration(tmp_path, monkeypatch):
    """Offer a configuration that would hide everything: this package must not read it."""
    (tmp_path / "transcript-doctor.toml").write_text('select = ["TD999"]\n')
    monkeypatch.chdir(tmp_path)
