// Mastra: messages as its memory keeps them, and what its `MessageList` makes of damaged ones.
//
//     node mastra_messages.mjs write FILE    a healthy list
//     node mastra_messages.mjs load FILE     what it would send with a next prompt
//
// Run it where `@mastra/core` is installed.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const { MessageList } = await import(pathToFileURL(require.resolve("@mastra/core/agent")).href);

const [, , command, path] = process.argv;
let count = 0;
const generateMessageId = () => `${command}-${++count}`;
const list = new MessageList({ threadId: "thread", resourceId: "user", generateMessageId });
const call = (toolCallId, of) => ({ type: "tool-call", toolCallId, toolName: "count", input: { of } });
const result = (toolCallId, value) => ({ type: "tool-result", toolCallId, toolName: "count", output: { type: "text", value } });
const text = (text) => ({ type: "text", text });
const respond = (role, ...content) => list.add([{ role, content }], "response");

if (command === "write") {
  list.add("How many?", "input");
  respond("assistant", text("I count."), call("call_1", "pots"), call("call_2", "pans"));
  respond("tool", result("call_1", "12 pots"), result("call_2", "12 pans"));
  respond("assistant", text("Twelve of both."));
  list.add("And the lids?", "input");
  respond("assistant", call("call_3", "lids"));
  respond("tool", result("call_3", "12 lids"));
  respond("assistant", text("Twelve lids."));
  writeFileSync(path, `${JSON.stringify(list.get.all.db())}\n`);
} else {
  const document = JSON.parse(readFileSync(path, "utf8"));
  list.add(document.messages ?? document, "memory");
  list.add("Go on?", "input");
  for (const { role, content } of list.get.all.aiV5.prompt()) {
    for (const part of typeof content === "string" ? [text(content)] : content) {
      if (part.type === "tool-call") console.log("call", part.toolCallId);
      else if (part.type === "tool-result") console.log("result", part.toolCallId, JSON.stringify(part.output));
      else console.log("text", JSON.stringify(part.text), role);
    }
  }
  console.log("answer Yes.");
}
