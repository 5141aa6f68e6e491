// AI SDK 4: messages as `useChat` and `appendResponseMessages` write them, and what `convertToCoreMessages` makes of damage.
//
//     node ai_sdk_4.mjs write FILE    a healthy list, by the library with a scripted model
//     node ai_sdk_4.mjs load FILE     what it would send with a next prompt
//
// Run it where `ai@4` is installed.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const load_module = async (name) => import(pathToFileURL(require.resolve(name)).href);
const { appendClientMessage, appendResponseMessages, convertToCoreMessages, generateText, tool } = await load_module("ai");
const { z } = await load_module("zod");

const [, , command, path] = process.argv;
const steps = [
  { text: "I count.", toolCalls: [["call_1", "pots"], ["call_2", "pans"]] },
  { text: "Twelve pots and twelve pans." },
  { text: "", toolCalls: [["call_3", "lids"]] },
  { text: "Twelve lids." },
];
const model = {
  specificationVersion: "v1",
  provider: "scripted",
  modelId: "scripted",
  defaultObjectGenerationMode: undefined,
  doGenerate: async ({ prompt }) => {
    model.sent = prompt;
    const { text, toolCalls } = steps.shift();
    return {
      text,
      toolCalls: toolCalls?.map(([toolCallId, of]) => ({
        toolCallType: "function", toolCallId, toolName: "count", args: JSON.stringify({ of }),
      })),
      finishReason: toolCalls ? "tool-calls" : "stop",
      usage: { promptTokens: 1, completionTokens: 1 },
      rawCall: { rawPrompt: null, rawSettings: {} },
    };
  },
};
const tools = {
  count: tool({ parameters: z.object({ of: z.string() }), execute: async ({ of }) => `12 ${of}` }),
};

if (command === "write") {
  let messages = [];
  for (const [at, content] of ["How many?", "And the lids?"].entries()) {
    const createdAt = new Date(1772000000000 + at * 1000);
    const message = { id: `u${at}`, role: "user", content, createdAt, parts: [{ type: "text", text: content }] };
    messages = appendClientMessage({ messages, message });
    const { response } = await generateText({ model, tools, messages, maxSteps: 3 });
    messages = appendResponseMessages({ messages, responseMessages: response.messages });
  }
  writeFileSync(path, `${JSON.stringify(messages)}\n`);
} else {
  const document = JSON.parse(readFileSync(path, "utf8"));
  const messages = [...(document.messages ?? document), { id: "next", role: "user", content: "Go on?" }];
  for (const { role, content } of convertToCoreMessages(messages)) {
    for (const part of typeof content === "string" ? [{ type: "text", text: content }] : content) {
      if (part.type === "tool-call") console.log("call", part.toolCallId);
      else if (part.type === "tool-result") console.log("result", part.toolCallId, JSON.stringify(part.result));
      else console.log("text", JSON.stringify(part.text), role);
    }
  }
  steps.splice(0, steps.length, { text: "Yes." });
  const { text } = await generateText({ model, tools, messages });
  console.log("answer", text);
}
