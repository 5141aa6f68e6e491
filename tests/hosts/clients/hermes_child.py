"""Imports a session into Hermes Agent in place of the one that it has: SESSION.json."""
import json
import sys

from hermes_state import SessionDB

with open(sys.argv[1], encoding="utf-8") as file:
    session = json.load(file)
database = SessionDB()
database.delete_session(session["id"])
answer = database.import_sessions([session])
if answer.get("errors"):
    sys.exit(str(answer))
