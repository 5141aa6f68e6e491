#!/bin/bash
# Installs the frameworks from their registries, and runs check.py with the program: run.sh [PROGRAM [FOLDER]].
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${1:-$here/../../target/debug/transcript-doctor}")
folder=${2:-$(mktemp -d)}
mkdir -p "$folder/modules"
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install pydantic-ai-slim ag-ui-protocol agent-framework-core agent-framework-openai agent-framework-ag-ui \
    autogen-agentchat 'autogen-ext[openai]' google-adk
(cd "$folder/modules" && npm init -y > /dev/null && npm install --no-audit --no-fund ai@4 zod@3 @mastra/core)
"$folder/venv/bin/python" "$here/check.py" "$program" "$folder/sessions" "$(command -v node)" "$folder/modules"
