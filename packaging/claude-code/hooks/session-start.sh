#!/bin/sh
# What Claude Code runs when a session is resumed; what it shows its user is one line of JSON.
if command -v transcript-doctor > /dev/null 2>&1; then
    exec transcript-doctor check --hook
fi
echo '{"systemMessage":"The plugin transcript-doctor does nothing: the program is not on PATH.","suppressOutput":true}'
