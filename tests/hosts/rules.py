"""What five APIs refuse of the messages of a request, as far as it can be seen without a model.

`refusal(body, headers)` returns the reason as the API words it, or None. The rules are those that a damaged session breaks:
shape of messages, pairs of calls and results, order of roles, empty content. They follow the providers' documentation and the
texts in public reports; sizes, prices, models and signatures are not judged.
"""
import json
import re

# Blocks of Anthropic Messages whose members are all known.
BLOCKS = {
    "text": {"text", "citations"},
    "thinking": {"thinking", "signature"},
    "redacted_thinking": {"data"},
    "tool_use": {"id", "name", "input", "caller"},
    "tool_result": {"tool_use_id", "content", "is_error"},
    "image": {"source"},
}
ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
ANTHROPIC_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
OPENAI_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")


class Refused(Exception):
    """The text that the API answers with."""


def refusal(path, body, headers):
    """Why the API at this path refuses a request, or None."""
    try:
        lone_surrogates(body)
        rules_of(path, body, headers)(body)
    except Refused as reason:
        return str(reason)
    except (AttributeError, TypeError, KeyError) as trouble:
        # Something of another type than the rules expect, which no API takes.
        return f"Invalid value: {trouble}"
    return None


def rules_of(path, body, headers):
    if "input" in body:
        return responses
    if "contents" in body:
        return gemini
    if path.endswith("/converse"):
        return converse
    if path.endswith("/messages") or "anthropic-version" in headers:
        return messages
    return chat


def lone_surrogates(body):
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Refused("The request body is not valid JSON: no low surrogate in string") from None


# Anthropic Messages -----------------------------------------------------------------------------------------------------


def messages(body):
    turns = []
    for index, message in enumerate(body.get("messages") or []):
        turns.append((message_role(index, message), message_blocks(index, message)))
    if not turns:
        raise Refused("messages: at least one message is required")
    if turns[0][0] != "user":
        raise Refused('messages: first message must use the "user" role')
    for index, (role, blocks) in enumerate(turns):
        is_last = index == len(turns) - 1
        # Claude Code says in such a message how much effort the model is to make from here on.
        only_configures = role == "system" and "output_config" in body["messages"][index]
        if not blocks and not only_configures and not (is_last and role == "assistant"):
            raise Refused(f"messages.{index}: all messages must have non-empty content "
                          "except for the optional final assistant message")
        for at, block in enumerate(blocks):
            message_block(f"messages.{index}.content.{at}", role, block)
    cache_marks(body, turns)
    message_servers(turns)
    message_pairs(turns)


def message_role(index, message):
    if not isinstance(message, dict):
        raise Refused(f"messages.{index}: Input should be a valid dictionary")
    role = message.get("role")
    # `system` after a user turn: accepted from Opus 4.8 on.
    if role not in ("user", "assistant", "system"):
        raise Refused(f"messages.{index}.role: Input should be 'user' or 'assistant'")
    return role


def message_blocks(index, message):
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if not isinstance(content, list):
        raise Refused(f"messages.{index}.content: Input should be a valid list")
    return content


def message_block(place, role, block):
    kind = block.get("type") if isinstance(block, dict) else None
    if kind is None:
        raise Refused(f"{place}.type: Field required")
    for member in block if kind in BLOCKS else ():
        if member not in BLOCKS[kind] and member not in ("type", "cache_control"):
            raise Refused(f"{place}.{kind}.{member}: Extra inputs are not permitted")
    if kind == "text":
        if not isinstance(block.get("text"), str):
            raise Refused(f"{place}.text.text: Input should be a valid string")
        if not block["text"].strip():
            raise Refused("messages: text content blocks must be non-empty")
    elif kind in ("tool_use", "server_tool_use"):
        if not ANTHROPIC_ID.match(str(block.get("id"))) or not isinstance(block.get("id"), str):
            raise Refused(f"{place}.{kind}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if not isinstance(block.get("input"), dict):
            raise Refused(f"{place}.{kind}.input: Input should be a valid dictionary")
        if not isinstance(block.get("name"), str) or not ANTHROPIC_NAME.match(block["name"]):
            raise Refused(f"{place}.{kind}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if role != "assistant":
            raise Refused(f"{place}: `{kind}` blocks can only be in `assistant` messages")
    elif kind == "tool_result":
        if not ANTHROPIC_ID.match(str(block.get("tool_use_id"))) or not isinstance(block.get("tool_use_id"), str):
            raise Refused(f"{place}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if block.get("is_error") and not block.get("content"):
            raise Refused(f"{place}.tool_result: content cannot be empty if `is_error` is true")
        if role != "user":
            raise Refused(f"{place}: `tool_result` blocks can only be in `user` messages")
        for inner in block["content"] if isinstance(block.get("content"), list) else ():
            if not isinstance(inner, dict):
                raise Refused(f"{place}.tool_result.content.0: Input should be a valid dictionary")
            if inner.get("type") == "text" and not isinstance(inner.get("text"), str):
                raise Refused(f"{place}.tool_result.content.0.text.text: Field required")
            if inner.get("type") == "text" and not inner["text"].strip():
                raise Refused("messages: text content blocks must be non-empty")
    elif kind == "thinking" and not (isinstance(block.get("signature"), str) and block["signature"]):
        raise Refused(f"{place}.thinking.signature: Field required")


def cache_marks(body, turns):
    listed = [body.get("system"), body.get("tools")] + [blocks for _, blocks in turns]
    blocks = [block for part in listed if isinstance(part, list) for block in part]
    marks = sum("cache_control" in block for block in blocks if isinstance(block, dict))
    if marks > 4:
        raise Refused(f"A maximum of 4 blocks with cache_control may be provided. Found {marks}.")


def message_servers(turns):
    """Tools that the provider runs itself: their results are in the same message."""
    for index, (_, blocks) in enumerate(turns):
        found = {block.get("tool_use_id") for block in blocks if block["type"].endswith("_tool_result")}
        for at, block in enumerate(blocks):
            if block["type"] == "server_tool_use" and block["id"] not in found and index < len(turns) - 1:
                raise Refused(f"messages.{index}.content.{at}: `{block['name']}` tool use with id `{block['id']}` was found "
                              f"without a corresponding `{block['name']}_tool_result` block")


def message_pairs(turns):
    """Every call is answered in the next user turn, and every result there answers a call of the turn before it."""
    merged = []
    for index, (role, blocks) in enumerate(turns):
        if merged and merged[-1][0] == role:
            merged[-1][2].extend(blocks)
        else:
            merged.append((role, index, list(blocks)))
    open_calls, all_calls = [], set()
    for role, index, blocks in merged:
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        # Results come first: one after a text does not answer its call.
        others = [at for at, block in enumerate(blocks) if block["type"] != "tool_result"]
        leading = results[:others[0]] if others else results
        missing = [call for call in open_calls if call not in leading]
        if missing:
            raise Refused(f"messages.{index - 1}: `tool_use` ids were found without `tool_result` blocks immediately "
                          f"after: {', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` "
                          "block in the next message.")
        for result in results:
            if result not in open_calls:
                raise Refused(f"messages.{index}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {result}. "
                              "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.")
        for result in results:
            if results.count(result) > 1:
                raise Refused(f"messages.{index}.content.1: each tool_use must have a single result. Found multiple "
                              f"`tool_result` blocks with id: {result}")
        open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if len(set(open_calls)) < len(open_calls) or all_calls & set(open_calls):
            raise Refused(f"messages.{index}.content.1: `tool_use` ids must be unique")
        all_calls.update(open_calls)
    if open_calls:
        raise Refused(f"messages.{len(turns) - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                      + ", ".join(open_calls))


# Bedrock Converse -------------------------------------------------------------------------------------------------------

CONVERSE_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}\Z")


def converse(body):
    turns = body.get("messages") or []
    if not turns or turns[0].get("role") != "user":
        raise Refused("A conversation must start with a user message. Try again with a conversation that starts with a user message.")
    open_calls, last = [], None
    for index, message in enumerate(turns):
        role, place = message.get("role"), f"messages.{index}.content"
        if role not in ("user", "assistant") or role == last:
            raise Refused("A conversation must alternate between user and assistant roles.")
        last = role
        blocks = message.get("content")
        if not blocks:
            raise Refused(f"The content field in the Message object at messages.{index} is empty.")
        for at, block in enumerate(blocks):
            converse_block(f"{place}.{at}", role, block)
        converse_pairs(place, blocks, open_calls)
        open_calls = [block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block]
    if last == "assistant":
        raise Refused("This model does not support assistant message prefill. The conversation must end with a user message.")


def converse_block(place, role, block):
    if len(block) != 1:
        raise Refused(f"Invalid number of parameters set for tagged union structure {place}.")
    if "text" in block and not block["text"].strip():
        raise Refused(f"The text field in the ContentBlock object at {place} is blank.")
    kind = "toolUse" if "toolUse" in block else "toolResult" if "toolResult" in block else None
    if kind is None:
        return
    own = block[kind]
    if role != ("assistant" if kind == "toolUse" else "user"):
        raise Refused(f"{place}: {kind} cannot be in a message of the {role}")
    if not CONVERSE_ID.match(own.get("toolUseId") or ""):
        raise Refused(f"Value at '{place}.{kind}.toolUseId' failed to satisfy constraint: {CONVERSE_ID.pattern}")
    if kind == "toolUse" and not OPENAI_NAME.match(own.get("name") or ""):
        raise Refused(f"Value at '{place}.toolUse.name' failed to satisfy constraint: {OPENAI_NAME.pattern}")
    if kind == "toolUse" and not isinstance(own.get("input"), dict):
        raise Refused(f"The format of the value at {place}.toolUse.input is invalid. Provide a json object for the field and try again.")
    if kind == "toolResult" and own.get("status") == "error" and not own.get("content"):
        raise Refused(f"The content field at {place}.toolResult cannot be empty when status value is error.")
    for inner in own.get("content") or ():
        if "text" in inner and not inner["text"].strip():
            raise Refused(f"The text field in the ContentBlock object at {place}.toolResult is blank.")


def converse_pairs(place, blocks, open_calls):
    """As Claude's models take them: the results of the turn before come first."""
    uses = [block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block]
    results = [block["toolResult"]["toolUseId"] for block in blocks if "toolResult" in block]
    for kind, ids in (("toolUse", uses), ("toolResult", results)):
        if len(set(ids)) < len(ids):
            raise Refused(f"The {kind} blocks at {place} contain duplicate Ids: {', '.join(ids)}")
    missing = [call for call in open_calls if call not in results]
    if missing:
        raise Refused(f"Expected toolResult blocks at {place} for the following Ids: {', '.join(missing)}")
    if set(results) - set(open_calls):
        raise Refused(f"The number of toolResult blocks at {place} exceeds the number of toolUse blocks of previous turn.")
    if not all("toolResult" in block for block in blocks[:len(results)]):
        raise Refused(f"{place}: Did not find {len(results)} tool_result block(s) at the beginning of this message.")


# OpenAI Chat Completions ------------------------------------------------------------------------------------------------


def chat(body):
    waiting, owner = [], None
    for index, message in enumerate(body.get("messages") or []):
        role = message.get("role")
        if role not in ("system", "developer", "user", "assistant", "tool", "function"):
            raise Refused(f"Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', "
                          f"'tool', and 'developer'. (messages[{index}].role)")
        if role == "tool":
            waiting = chat_result(index, message, waiting, owner)
            continue
        if waiting:
            raise Refused("An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                          "'tool_call_id'. The following tool_call_ids did not have response messages: " + ", ".join(waiting))
        owner = None
        if role == "assistant":
            waiting = chat_calls(index, message)
            owner = index if waiting else None
        elif message.get("content") is None:
            raise Refused(f"Invalid value for 'content': expected a string, got null. (messages[{index}].content)")
    if waiting:
        raise Refused("An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                      "'tool_call_id'. The following tool_call_ids did not have response messages: " + ", ".join(waiting))


def chat_result(index, message, waiting, owner):
    call = message.get("tool_call_id")
    if not isinstance(call, str):
        raise Refused(f"Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'. "
                      f"(messages[{index}])")
    if owner is None:
        raise Refused("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. "
                      f"(messages[{index}].role)")
    if call not in waiting:
        raise Refused(f"Invalid parameter: 'tool_call_id' of '{call}' not found in 'tool_calls' of previous message. "
                      f"(messages[{index}].tool_call_id)")
    if message.get("content") is None:
        raise Refused(f"Invalid value for 'content': expected a string, got null. (messages[{index}].content)")
    return [other for other in waiting if other != call]


def chat_calls(index, message):
    calls = message.get("tool_calls")
    if calls is None:
        if message.get("content") is None and not message.get("function_call") and not message.get("refusal"):
            raise Refused(f"Invalid value for 'content': expected a string, got null. (messages[{index}].content)")
        return []
    if not isinstance(calls, list) or not calls:
        raise Refused(f"Invalid 'messages[{index}].tool_calls': empty array. Expected an array with minimum length 1.")
    ids = []
    for at, call in enumerate(calls):
        function = call.get("function") or {}
        if not isinstance(call.get("id"), str) or not call["id"]:
            raise Refused(f"Missing required parameter: 'messages[{index}].tool_calls[{at}].id'.")
        if call.get("type") not in ("function", "custom"):
            raise Refused(f"Missing required parameter: 'messages[{index}].tool_calls[{at}].type'.")
        if call["type"] == "function" and not OPENAI_NAME.match(str(function.get("name") or "")):
            raise Refused(f"Invalid 'messages[{index}].tool_calls[{at}].function.name': string does not match pattern.")
        if call["type"] == "function" and not isinstance(function.get("arguments"), str):
            raise Refused(f"Invalid type for 'messages[{index}].tool_calls[{at}].function.arguments': expected a string.")
        if len(call["id"]) > 64:
            raise Refused(f"Invalid 'messages[{index}].tool_calls[{at}].id': string too long. Expected a string with maximum "
                          f"length 64, but got a string with length {len(call['id'])} instead.")
        if call["id"] in ids:
            raise Refused(f"Duplicate tool call id {call['id']} (messages[{index}])")
        ids.append(call["id"])
    return ids


# OpenAI Responses -------------------------------------------------------------------------------------------------------

CALLS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
}
WORDS = {kind: kind.replace("_", " ") for kind in CALLS}
# Tools that the provider runs, whose calls need an ID.
NAMED = ("file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call")
BEGINNINGS = {"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}


def responses(body):
    items = body.get("input")
    if isinstance(items, str):
        return
    calls, outputs, own = {}, set(), set()
    for index, item in enumerate(items):
        kind = item.get("type") or ("message" if "role" in item else None)
        response_item(index, kind, item)
        if item.get("id") is not None and item["id"] in own:
            raise Refused(f"Duplicate item found with id {item['id']}. Remove duplicate items from your input and try again.")
        own.add(item.get("id"))
        if kind in CALLS:
            calls[item["call_id"]] = kind
        elif kind in CALLS.values():
            response_output(item, kind, calls, outputs)
    for call, kind in calls.items():
        if call not in outputs:
            raise Refused(f"No tool output found for {WORDS[kind]} {call}.")
    followed_reasoning(items)


def response_item(index, kind, item):
    beginning = BEGINNINGS.get(kind)
    own = item.get("id")
    if beginning and isinstance(own, str) and not own.startswith(beginning):
        raise Refused(f"Invalid 'input[{index}].id': '{own}'. Expected an ID that begins with '{beginning}'.")
    if kind in CALLS or kind in CALLS.values():
        call = item.get("call_id")
        if not isinstance(call, str):
            raise Refused(f"Missing required parameter: 'input[{index}].call_id'.")
        if not 1 <= len(call) <= 64:
            raise Refused(f"Invalid 'input[{index}].call_id': string too long or empty.")
    if kind == "function_call" and not isinstance(item.get("arguments"), str):
        raise Refused(f"Invalid type for 'input[{index}].arguments': expected a string.")
    if kind in NAMED and not item.get("id"):
        raise Refused(f"Missing required parameter: 'input[{index}].id'.")
    if kind in ("function_call", "custom_tool_call") and not OPENAI_NAME.match(str(item.get("name"))):
        raise Refused(f"Invalid 'input[{index}].name': string does not match pattern.")


def response_output(item, kind, calls, outputs):
    call = item["call_id"]
    takes = {"function_call_output": ("function_call", "local_shell_call")}.get(kind, (kind[:-len("_output")],))
    if calls.get(call) not in takes:
        raise Refused(f"No tool call found for {kind.replace('_', ' ')} with call_id {call}.")
    if call in outputs:
        raise Refused(f"Duplicate output for call_id {call}.")
    outputs.add(call)


def followed_reasoning(items):
    """A reasoning item that is stored at OpenAI needs the item that it led to."""
    for index, item in enumerate(items):
        if item.get("type") != "reasoning" or item.get("encrypted_content") or not item.get("id"):
            continue
        rest = [other for other in items[index + 1:] if other.get("type") != "reasoning"]
        if not rest or not (rest[0].get("type") in CALLS or rest[0].get("role") == "assistant"):
            raise Refused(f"Item '{item['id']}' of type 'reasoning' was provided without its required following item.")


# Gemini -----------------------------------------------------------------------------------------------------------------

CALL_PLACE = ("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
RESPONSE_PLACE = "Please ensure that function response turn comes immediately after a function call turn."
NUMBER = ("Please ensure that the number of function response parts is equal to the number of function call parts of the "
          "function call turn.")


def gemini(body):
    turns = []
    for index, content in enumerate(body["contents"]):
        parts = content.get("parts")
        if not parts:
            raise Refused(f"* GenerateContentRequest.contents[{index}].parts: contents.parts must not be empty.")
        for at, part in enumerate(parts):
            if not set(part) - {"thought"}:
                raise Refused(f"* GenerateContentRequest.contents[{index}].parts[{at}].data: required oneof field 'data' "
                              "must have one initialized field")
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        turns.append((content.get("role", "user"), calls, answers))
    gemini_pairs(turns)
    gemini_signatures(body["contents"], turns)


def gemini_pairs(turns):
    for index, (role, calls, answers) in enumerate(turns):
        before = turns[index - 1] if index else None
        after = turns[index + 1] if index + 1 < len(turns) else None
        if role == "model" and answers or answers and not (before and before[1]):
            raise Refused(RESPONSE_PLACE)
        if calls and (role != "model" or before is None or before[0] == "model"):
            raise Refused(CALL_PLACE)
        if not calls:
            continue
        if after is None or len(after[2]) != len(calls):
            raise Refused(NUMBER)
        if sorted(call.get("name", "") for call in calls) != sorted(answer.get("name", "") for answer in after[2]):
            raise Refused("function responses do not answer the function calls before them")


def gemini_signatures(contents, turns):
    """Gemini 3 wants the signature of the first call of each step of the current turn back."""
    start = 0
    for index, (role, _, answers) in enumerate(turns):
        if role != "model" and not answers:
            start = index
    for index, content in enumerate(contents[start:], start):
        first = next((part for part in content["parts"] if "functionCall" in part), None)
        if first is not None and not first.get("thoughtSignature"):
            name = first["functionCall"].get("name")
            raise Refused("Function call is missing a thought_signature in functionCall parts. Additional data, function "
                          f"call `default_api:{name}` , position {index + 1}.")
