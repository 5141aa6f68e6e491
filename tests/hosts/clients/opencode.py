import json

from .base import FromNpm, run
from .databases import Database


class Opencode(Database, FromNpm):
    name = "opencode"
    title = "opencode"
    format = "opencode"
    package = "opencode-ai"
    pin = "1.18.33"
    where = "/data/opencode/opencode.db"
    # Nobody edits its database by hand.
    damages = ()

    def install(self, version):
        super().install(version)
        # Links the program of this platform, which came with the package.
        run("node", self.module("opencode-ai/postinstall.mjs"))

    def shell(self, command):
        return "bash", {"command": command, "description": "count"}

    def command(self, work, url, prompt, resume):
        model = {"name": "m1", "tool_call": True, "limit": {"context": 200000, "output": 8000}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": {"baseURL": url + "/v1", "apiKey": "none"},
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
