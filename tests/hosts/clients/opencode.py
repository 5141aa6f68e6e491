import json
import sqlite3
import subprocess

from .base import FromNpm, run
from .databases import Database

# The libraries that it brings, by what `check` calls the provider.
LIBRARIES = {"openai-chat": "@ai-sdk/openai-compatible", "openai-responses": "@ai-sdk/openai", "anthropic": "@ai-sdk/anthropic"}


class Opencode(Database, FromNpm):
    name = "opencode"
    title = "opencode"
    format = "opencode"
    package = "opencode-ai"
    pin = "1.18.33"
    where = "/data/opencode/opencode.db"
    target = "openai-chat"
    targets = tuple(LIBRARIES)
    # Nobody edits its database by hand.
    damages = ()

    def install(self, version):
        super().install(version)
        # Links the program of this platform, which came with the package.
        run("node", self.module("opencode-ai/postinstall.mjs"))

    def shell(self, command):
        return "bash", {"command": command, "description": "count"}

    def place(self, work, path):
        """The documented way for a session of others is to import what was exported."""
        if not path.endswith(".json"):
            return False
        _, more = self.command(work, "http://127.0.0.1:1", "", False)
        done = subprocess.run([self.module(".bin/opencode"), "import", path], cwd=work + "/proj", capture_output=True, timeout=120,
                              env={**self.environment(work), **more})
        return done.returncode == 0

    def records(self, session):
        with sqlite3.connect(session) as database:
            for own, data in database.execute("select id, data from part order by message_id, id"):
                yield {**json.loads(data), "id": own}

    def said(self, record):
        """Of a tool that was stopped it sends what it had printed."""
        state = record.get("state") or {}
        printed = (state.get("metadata") or {}).get("output") if state.get("status") == "error" else None
        return [record.get("text"), state.get("input"), state.get("output"), printed or state.get("error")]

    def command(self, work, url, prompt, resume):
        model = {"name": "m1", "tool_call": True, "limit": {"context": 200000, "output": 8000}}
        provider = {"npm": LIBRARIES[self.sends_to], "name": "mock", "options": {"baseURL": url + "/v1", "apiKey": "none"},
                    "models": {"m1": model}}
        config = {"$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled", "model": "mock/m1",
                  "small_model": "mock/m1", "permission": "allow", "provider": {"mock": provider}}
        with open(work + "/proj/opencode.json", "w", encoding="utf-8") as file:
            json.dump(config, file)
        line = [self.module(".bin/opencode"), "run"]
        if resume:
            line.append("--continue")
        home = work + "/home/"
        return [*line, "--model", "mock/m1", prompt], {
            "XDG_DATA_HOME": home + "data", "XDG_CONFIG_HOME": home + "config", "XDG_CACHE_HOME": home + "cache",
            "XDG_STATE_HOME": home + "state", "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}
