// Sends one prompt with the AI SDK as an application does, and saves the messages after every part:
// node ai_sdk_child.mjs CLIENT MESSAGES.json PROMPT URL
import { exec } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const [, , client, file, prompt, url] = process.argv;
const folder = path.join(client, 'node_modules/ai');
const { exports } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json')));
const load = (entry) => {
  const target = typeof entry === 'string' ? entry : entry.import?.default ?? entry.import ?? entry.default;
  return import(pathToFileURL(path.join(folder, target)).href);
};
const ai = await load(exports['.']);
const test = await load(exports['./test']);
const { z } = await import(pathToFileURL(path.join(client, 'node_modules/zod/index.js')).href);

const messages = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : [];
messages.push({ id: 'u' + messages.length, role: 'user', parts: [{ type: 'text', text: prompt }] });
const save = (all) => fs.writeFileSync(file, JSON.stringify(all));

// The prompt goes to the provider as Chat Completions.
function wire(message) {
  if (message.role === 'system') return [{ role: 'system', content: message.content }];
  if (message.role === 'tool') {
    return message.content.map((part) => ({ role: 'tool', tool_call_id: part.toolCallId, content: JSON.stringify(part.output) }));
  }
  const text = message.content.filter((part) => part.type === 'text').map((part) => part.text).join('') || null;
  const calls = message.content.filter((part) => part.type === 'tool-call').map((part) => ({
    id: part.toolCallId,
    type: 'function',
    function: { name: part.toolName, arguments: JSON.stringify(part.input) },
  }));
  return [{ role: message.role, content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

async function ask(prompt) {
  const body = { model: 'm1', messages: prompt.flatMap(wire), tools: [{ type: 'function', function: { name: 'shell' } }] };
  const reply = await fetch(url + '/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await reply.json();
  if (answer.error) throw new Error(answer.error.message);
  const { message } = answer.choices[0];
  const parts = [{ type: 'stream-start', warnings: [] }];
  if (message.content) {
    parts.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: message.content }, { type: 'text-end', id: 't' });
  }
  for (const call of message.tool_calls ?? []) {
    parts.push({ type: 'tool-call', toolCallId: call.id, toolName: call.function.name, input: call.function.arguments });
  }
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  parts.push({ type: 'finish', finishReason: { unified: message.tool_calls ? 'tool-calls' : 'stop', raw: 'x' }, usage });
  return new ReadableStream({
    start(controller) {
      parts.forEach((part) => controller.enqueue(part));
      controller.close();
    },
  });
}

const Model = test.MockLanguageModelV4 ?? test.MockLanguageModelV3;
const model = new Model({ doStream: async ({ prompt }) => ({ stream: await ask(prompt) }) });
const shell = ai.tool({
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => (await promisify(exec)(command)).stdout,
});
const result = ai.streamText({
  model,
  messages: await ai.convertToModelMessages(messages),
  tools: { shell },
  stopWhen: ai.stepCountIs?.(9) ?? ai.isStepCount?.(9),
  onError: (event) => {
    throw event.error ?? event;
  },
});
const stream = result.toUIMessageStream({ generateMessageId: () => 'a' + messages.length });
for await (const message of ai.readUIMessageStream({ stream })) save([...messages, message]);
