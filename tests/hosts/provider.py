"""A scripted model provider on the loopback that speaks five APIs: Anthropic Messages, OpenAI Responses and Chat Completions,
Gemini, and Bedrock Converse.

A script is a list of answers, an answer a list of `text(…)`, `call(…)` and `pause(…)`. Only requests with tools use it up, because hosts also
ask for titles and summaries. Every request is judged by `rules.py`; what the API would refuse is answered with 400.
"""
import gzip
import http.server
import json
import secrets
import sys
import threading
import time
import zlib

import rules


def text(words):
    return ("text", words, None)


def call(tool, arguments):
    return ("call", tool, arguments)


def pause(seconds):
    """The answer comes later, or the host hangs up before it does."""
    return ("pause", seconds, None)


class Request:
    """A request of the main loop, and why it was refused."""

    def __init__(self, messages, refused):
        self.messages = messages
        self.refused = refused


class Provider(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.port = self.server_address[1]
        self.script = list(script)
        self.requests = []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        # A client that was killed hangs up.
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)

    def answer(self, request):
        with self.lock:
            self.requests.append(request)
            if request.refused or not self.script:
                return [text("done")]
            return self.script.pop(0)

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.reply("text/plain", b"")

    def do_GET(self):
        self.reply_json({"object": "list", "data": [], "models": []})

    def do_POST(self):
        body = self.body()
        path = self.path.split("?")[0]
        if body is None:
            return self.reply_json({}, 415)
        if "countTokens" in path or path.endswith("/count_tokens"):
            return self.reply_json({"totalTokens": 5, "input_tokens": 5})
        messages = body.get("input") or body.get("contents") or body.get("messages")
        if messages is None:
            return self.reply_json({})
        headers = {name.lower(): value for name, value in self.headers.items()}
        is_stream = bool(body.get("stream")) or "stream" in path.lower()
        if not (body.get("tools") or body.get("toolConfig")):
            return self.speak(path, body, [text('{"title":"seeds"}')], is_stream)
        request = Request(messages, rules.refusal(path, body, headers))
        answer = self.server.answer(request)
        time.sleep(sum(part[1] for part in answer if part[0] == "pause"))
        answer = [part for part in answer if part[0] != "pause"]
        if request.refused:
            error = {"type": "invalid_request_error", "message": request.refused, "code": 400, "status": "INVALID_ARGUMENT"}
            return self.reply_json({"type": "error", "error": error}, 400)
        return self.speak(path, body, answer, is_stream)

    def body(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            coding = self.headers.get("content-encoding", "")
            if coding == "gzip":
                raw = gzip.decompress(raw)
            elif coding == "deflate":
                raw = zlib.decompress(raw)
            return json.loads(raw or b"{}")
        except (ValueError, OSError, zlib.error):
            return None

    def reply(self, kind, data, status=200):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.send_header("request-id", "req_" + secrets.token_hex(6))
        self.end_headers()
        self.wfile.write(data)

    def reply_json(self, value, status=200):
        self.reply("application/json", json.dumps(value).encode(), status)

    def reply_events(self, events):
        self.reply("text/event-stream", "".join(events).encode())

    def speak(self, path, body, answer, is_stream):
        if "input" in body:
            self.speak_responses(answer, is_stream)
        elif "contents" in body:
            self.speak_gemini(answer, is_stream)
        elif path.endswith("/converse"):
            self.speak_converse(answer)
        elif path.endswith("/messages"):
            self.speak_messages(body, answer, is_stream)
        else:
            self.speak_chat(answer, is_stream)

    # Anthropic Messages

    def speak_messages(self, body, answer, is_stream):
        blocks = [message_block(part) for part in answer]
        reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        message = {"id": "msg_01" + secrets.token_hex(11), "type": "message", "role": "assistant",
                   "model": body.get("model", "mock"), "content": blocks, "stop_reason": reason, "stop_sequence": None,
                   "usage": {"input_tokens": 10, "output_tokens": 3}}
        if not is_stream:
            return self.reply_json(message)
        events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
        for index, block in enumerate(blocks):
            events += block_events(index, block)
        events.append({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
                       "usage": {"output_tokens": 3}})
        events.append({"type": "message_stop"})
        return self.reply_events(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)

    # Bedrock Converse

    def speak_converse(self, answer):
        blocks = [converse_block(part) for part in answer]
        reason = "tool_use" if any("toolUse" in block for block in blocks) else "end_turn"
        self.reply_json({"output": {"message": {"role": "assistant", "content": blocks}}, "stopReason": reason,
                         "usage": {"inputTokens": 10, "outputTokens": 3, "totalTokens": 13}, "metrics": {"latencyMs": 1}})

    # OpenAI Responses

    def speak_responses(self, answer, is_stream):
        items = [response_item(part) for part in answer]
        usage = {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2}
        own = "resp_" + secrets.token_hex(8)
        if not is_stream:
            return self.reply_json({"id": own, "object": "response", "created_at": int(time.time()), "model": "m1",
                                    "status": "completed", "output": items, "parallel_tool_calls": True,
                                    "tool_choice": "auto", "tools": [], "usage": usage})
        events = [{"type": "response.created", "response": {"id": own}}]
        for index, item in enumerate(items):
            events.append({"type": "response.output_item.added", "output_index": index, "item": item})
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        events.append({"type": "response.completed", "response": {"id": own, "usage": usage}})
        return self.reply_events(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)

    # Gemini

    def speak_gemini(self, answer, is_stream):
        parts = [gemini_part(part) for part in answer]
        reply = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                 "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
        if not is_stream:
            return self.reply_json(reply)
        return self.reply_events(["data: " + json.dumps(reply) + "\r\n\r\n"])

    # OpenAI Chat Completions

    def speak_chat(self, answer, is_stream):
        words = "".join(part[1] for part in answer if part[0] == "text")
        calls = [chat_call(part) for part in answer if part[0] == "call"]
        reason = "tool_calls" if calls else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        base = {"id": "c" + secrets.token_hex(4), "created": int(time.time()), "model": "m1"}
        if not is_stream:
            message = {"role": "assistant", "content": words or None}
            if calls:
                message["tool_calls"] = calls
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return self.reply_json({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
        deltas = [({"role": "assistant", "content": words}, None)]
        if calls:
            deltas.append(({"tool_calls": [{"index": index, **one} for index, one in enumerate(calls)]}, None))
        deltas.append(({}, reason))
        base["object"] = "chat.completion.chunk"
        chunks = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
        chunks.append({**base, "choices": [], "usage": usage})
        return self.reply_events(["data: " + json.dumps(chunk) + "\n\n" for chunk in chunks] + ["data: [DONE]\n\n"])


def message_block(part):
    kind, first, arguments = part
    if kind == "text":
        return {"type": "text", "text": first}
    return {"type": "tool_use", "id": "toolu_01" + secrets.token_hex(11), "name": first, "input": arguments}


def block_events(index, block):
    if block["type"] == "text":
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [{"type": "content_block_start", "index": index, "content_block": start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index}]


def converse_block(part):
    kind, first, arguments = part
    if kind == "text":
        return {"text": first}
    return {"toolUse": {"toolUseId": "tooluse_" + secrets.token_hex(11), "name": first, "input": arguments}}


def response_item(part):
    kind, first, arguments = part
    if kind == "text":
        return {"type": "message", "role": "assistant", "status": "completed", "id": "msg_" + secrets.token_hex(8),
                "content": [{"type": "output_text", "text": first, "annotations": []}]}
    return {"type": "function_call", "status": "completed", "id": "fc_" + secrets.token_hex(8),
            "call_id": "call_" + secrets.token_hex(10), "name": first, "arguments": json.dumps(arguments)}


def gemini_part(part):
    kind, first, arguments = part
    if kind == "text":
        return {"text": first}
    function = {"name": first, "args": arguments, "id": "fc" + secrets.token_hex(6)}
    return {"functionCall": function, "thoughtSignature": "c2ln" + secrets.token_hex(4)}


def chat_call(part):
    _, tool, arguments = part
    return {"id": "call_" + secrets.token_hex(8), "type": "function",
            "function": {"name": tool, "arguments": json.dumps(arguments)}}
