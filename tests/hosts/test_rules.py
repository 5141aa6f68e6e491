"""The provider of the suite refuses what the APIs refuse, and takes what they take: python3 -m unittest, in this folder."""
import unittest

from rules import refusal

MESSAGES, CHAT, RESPONSES, GEMINI = "/v1/messages", "/v1/chat/completions", "/v1/responses", "/models/gemini:streamGenerateContent"
CONVERSE = "/model/anthropic.claude/converse"


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def model(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def words(text="hi"):
    return {"type": "text", "text": text}


def use(own="toolu_1", name="Bash"):
    return {"type": "tool_use", "id": own, "name": name, "input": {}}


def result(own="toolu_1", **more):
    return {"type": "tool_result", "tool_use_id": own, "content": "ok", **more}


def calls(*ids):
    function = {"name": "bash", "arguments": "{}"}
    return {"role": "assistant", "content": None,
            "tool_calls": [{"id": own, "type": "function", "function": function} for own in ids]}


def tool(own):
    return {"role": "tool", "tool_call_id": own, "content": "ok"}


def function_call(own="call_1"):
    return {"type": "function_call", "call_id": own, "name": "bash", "arguments": "{}"}


def function_output(own="call_1"):
    return {"type": "function_call_output", "call_id": own, "output": "ok"}


def turn(role, *parts):
    return {"role": role, "parts": list(parts)}


def said(role, *blocks):
    return {"role": role, "content": list(blocks)}


def tool_use(own="tooluse_1"):
    return {"toolUse": {"toolUseId": own, "name": "bash", "input": {}}}


def tool_result(own="tooluse_1", **more):
    return {"toolResult": {"toolUseId": own, "content": [{"text": "ok"}], **more}}


HI = {"text": "hi"}
FC = {"functionCall": {"name": "bash", "args": {}}, "thoughtSignature": "c2ln"}
FR = {"functionResponse": {"name": "bash", "response": {}}}
ASK = {"role": "user", "content": "hi"}

ACCEPTED = {
    "messages: a batch": (MESSAGES, "messages", [user(words()), model(use("a"), use("b")), user(result("a"), result("b"))]),
    "messages: system after a user turn": (MESSAGES, "messages", [user(words()), {"role": "system", "content": "x"}]),
    "messages: results in two user messages": (MESSAGES, "messages",
                                               [user(words()), model(use("a"), use("b")), user(result("a")), user(result("b"))]),
    "chat: a batch in another order": (CHAT, "messages", [ASK, calls("a", "b"), tool("b"), tool("a")]),
    "chat: an id again in a later turn": (CHAT, "messages", [ASK, calls("a"), tool("a"), calls("a"), tool("a")]),
    "responses: text alone": (RESPONSES, "input", "hi"),
    "responses: an output later": (RESPONSES, "input", [function_call(), ASK, function_output()]),
    "converse: a batch, then words": (CONVERSE, "messages", [said("user", HI), said("assistant", tool_use("a"), tool_use("b")),
                                                             said("user", tool_result("b"), tool_result("a"), HI)]),
    "converse: an id again in a later turn": (CONVERSE, "messages", [said("user", HI), said("assistant", tool_use()), said("user", tool_result()),
                                                                     said("assistant", tool_use()), said("user", tool_result())]),
    "gemini: a step": (GEMINI, "contents", [turn("user", {"text": "hi"}), turn("model", FC), turn("user", FR)]),
}
REFUSED = {
    "messages: no result": (MESSAGES, "messages", [user(words()), model(use()), user(words())]),
    "messages: open at the end": (MESSAGES, "messages", [user(words()), model(use())]),
    "messages: no call": (MESSAGES, "messages", [user(words()), model(words()), user(result())]),
    "messages: two results": (MESSAGES, "messages", [user(words()), model(use()), user(result(), result())]),
    "messages: a result again after a text": (MESSAGES, "messages",
                                              [user(words()), model(use()), user(result(), words(), result())]),
    "messages: text before the result": (MESSAGES, "messages", [user(words()), model(use()), user(words(), result())]),
    "messages: an id again": (MESSAGES, "messages", [user(words()), model(use()), user(result()), model(use()), user(result())]),
    "messages: assistant first": (MESSAGES, "messages", [model(words())]),
    "messages: a name with a dot": (MESSAGES, "messages", [user(words()), model(use(name="fs.read")), user(result())]),
    "messages: blank": (MESSAGES, "messages", [user(words(" "))]),
    "messages: empty error": (MESSAGES, "messages", [user(words()), model(use()), user(result(is_error=True, content=""))]),
    "messages: a member too many": (MESSAGES, "messages", [user(words()), model({**use(), "index": 1}), user(result())]),
    "messages: a lone surrogate": (MESSAGES, "messages", [user(words("\ud83d"))]),
    "messages: thinking without signature": (MESSAGES, "messages", [user(words()), model({"type": "thinking", "thinking": "x"})]),
    "chat: no result": (CHAT, "messages", [ASK, calls("a"), ASK]),
    "chat: no call": (CHAT, "messages", [ASK, tool("a")]),
    "chat: two results": (CHAT, "messages", [ASK, calls("a"), tool("a"), tool("a")]),
    "chat: the result of another": (CHAT, "messages", [ASK, calls("a"), tool("b")]),
    "chat: no content": (CHAT, "messages", [{"role": "user", "content": None}]),
    "chat: no calls in the list": (CHAT, "messages", [ASK, {"role": "assistant", "content": "x", "tool_calls": []}]),
    "responses: no output": (RESPONSES, "input", [function_call(), ASK]),
    "responses: no call": (RESPONSES, "input", [function_output()]),
    "responses: two outputs": (RESPONSES, "input", [function_call(), function_output(), function_output()]),
    "responses: an item twice": (RESPONSES, "input", [{"type": "message", "id": "msg_1", **ASK}] * 2),
    "responses: arguments that are no text": (RESPONSES, "input", [{**function_call(), "arguments": {}}, function_output()]),
    "responses: a search without an id": (RESPONSES, "input", [ASK, {"type": "file_search_call", "queries": ["x"]}]),
    "responses: reasoning alone": (RESPONSES, "input", [ASK, {"type": "reasoning", "id": "rs_1", "summary": []}]),
    "responses: another id": (RESPONSES, "input", [{"type": "message", "id": "x_1", **ASK}]),
    "converse: no result": (CONVERSE, "messages", [said("user", HI), said("assistant", tool_use()), said("user", HI)]),
    "converse: no call": (CONVERSE, "messages", [said("user", HI), said("assistant", HI), said("user", tool_result())]),
    "converse: two results": (CONVERSE, "messages", [said("user", HI), said("assistant", tool_use()), said("user", tool_result(), tool_result())]),
    "converse: words first": (CONVERSE, "messages", [said("user", HI), said("assistant", tool_use()), said("user", HI, tool_result())]),
    "converse: an id twice": (CONVERSE, "messages", [said("user", HI), said("assistant", tool_use(), tool_use()), said("user", tool_result())]),
    "converse: two of a side": (CONVERSE, "messages", [said("user", HI), said("user", HI)]),
    "converse: assistant last": (CONVERSE, "messages", [said("user", HI), said("assistant", HI)]),
    "converse: blank": (CONVERSE, "messages", [said("user", {"text": " "})]),
    "converse: empty error": (CONVERSE, "messages", [said("user", HI), said("assistant", tool_use()), said("user", tool_result(status="error", content=[]))]),
    "converse: an input that is a text": (CONVERSE, "messages", [said("user", HI), said("assistant", {"toolUse": {**tool_use()["toolUse"], "input": "{}"}}),
                                                                 said("user", tool_result())]),
    "gemini: no response": (GEMINI, "contents", [turn("user", {"text": "hi"}), turn("model", FC), turn("user", {"text": "x"})]),
    "gemini: no call": (GEMINI, "contents", [turn("user", {"text": "hi"}), turn("user", FR)]),
    "gemini: a call first": (GEMINI, "contents", [turn("model", FC), turn("user", FR)]),
    "gemini: no parts": (GEMINI, "contents", [turn("user")]),
    "gemini: no signature": (GEMINI, "contents", [turn("user", {"text": "hi"}), turn("model", {"functionCall": {"name": "bash"}}),
                                                  turn("user", FR)]),
}


class Rules(unittest.TestCase):
    def test_accepted(self):
        for name, (path, member, value) in ACCEPTED.items():
            with self.subTest(name):
                self.assertIsNone(refusal(path, {member: value}, {}))

    def test_refused(self):
        for name, (path, member, value) in REFUSED.items():
            with self.subTest(name):
                self.assertIsNotNone(refusal(path, {member: value}, {}))


if __name__ == "__main__":
    unittest.main()
