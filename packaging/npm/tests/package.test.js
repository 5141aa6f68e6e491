// The npm package, as it is installed: `NODE_PATH=…/node_modules node --test packaging/npm/tests/*.js`.
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync, mkdirSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { tmpdir } = require("node:os");
const test = require("node:test");
const { pathToFileURL } = require("node:url");

const doctor = require("transcript-doctor");
const { NotFoundError, ProgramError, RefusedError, UnknownFormatError, UsageError } = doctor;
const { check, explain, precheck, repair, repairFile } = doctor;

const CALL = { id: "call_1", type: "function", function: { name: "ls", arguments: "{}" } };
const HEALTHY = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hi" },
];
const STUCK = [
  { role: "user", content: "List" },
  { role: "assistant", content: null, tool_calls: [CALL] },
  { role: "user", content: "Go on" },
];

const folder = mkdtempSync(join(tmpdir(), "transcript-doctor-"));
// The journal, and a configuration that would hide everything: this package must not read it.
process.env.XDG_STATE_HOME = join(folder, "state");
writeFileSync(join(folder, "transcript-doctor.toml"), 'select = ["TD999"]\n');
process.chdir(folder);
test.after(() => rmSync(folder, { recursive: true }));

const codes = (found) => found.findings.map(({ code }) => code);

function file(name, messages) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(messages));
  return path;
}

test("messages, and the body of a request", async () => {
  const report = await check(STUCK);
  assert.equal(report.summary.stuck, 1);
  assert.deepEqual(codes(report.conversations[0]), ["TD101"]);
  const [found] = (await check({ model: "gpt-5", messages: STUCK })).conversations;
  assert.deepEqual([found.verdict, found.target], ["stuck", "openai-chat"]);
  assert.equal((await check([{ role: "user", content: "\ud83d" }])).summary.conversations, 1);
});

test("no messages are empty", async () => {
  const report = await check([]);
  assert.equal(report.conversations[0].verdict, "empty");
  assert.deepEqual(Object.keys(report.summary).sort(), Object.keys((await check(STUCK)).summary).sort());
  assert.equal((await precheck({ messages: [] })).verdict, "empty");
  assert.deepEqual((await repair([])).messages, []);
});

test("a file, a folder, and a URL", async () => {
  const path = file("runs/-stuck.json", STUCK);
  for (const what of [path, dirname(path), pathToFileURL(path)]) {
    assert.deepEqual(codes((await check(what)).conversations[0]), ["TD101"]);
  }
});

test("options are those of the command line", async () => {
  assert.equal((await check(STUCK, { target: "bedrock" })).target, "bedrock");
  assert.deepEqual(codes((await check(STUCK, { ignore: ["TD101", "TD102"] })).conversations[0]), []);
  const options = { select: "TD104", minConfidence: "likely", rows: false, from: undefined };
  assert.deepEqual(codes((await check(STUCK, options)).conversations[0]), []);
});

test("errors are of several kinds", async () => {
  await assert.rejects(check(STUCK, { targets: "anthropic" }), UsageError);
  await assert.rejects(precheck(STUCK, { targets: "anthropic" }), UsageError);
  await assert.rejects(check([{ no: "message" }]), UnknownFormatError);
  await assert.rejects(precheck([{ no: "message" }]), UnknownFormatError);
  await assert.rejects(repair([{ no: "message" }]), UnknownFormatError);
  await assert.rejects(check(join(folder, "gone.jsonl")), NotFoundError);
  await assert.rejects(explain(join(folder, "gone.jsonl")), NotFoundError);
  const reported = ({ report }) => report.conversations.length === 1 && report.not_checked.length === 1;
  await assert.rejects(check(dirname(file("some/stuck.json", STUCK)), { filesFrom: file("list", "gone") }), reported);
  for (const wrong of [undefined, null, 7]) {
    await assert.rejects(precheck(wrong), TypeError);
    await assert.rejects(check(wrong), TypeError);
    await assert.rejects(repairFile(wrong), TypeError);
  }
  assert.ok(new NotFoundError("gone") instanceof ProgramError);
  assert.equal(new NotFoundError("gone").name, "NotFoundError");
});

test("a process answers many requests at once", async () => {
  const asked = Array.from({ length: 300 }, (_, n) => precheck(n % 2 ? STUCK : HEALTHY));
  const verdicts = (await Promise.all(asked)).map(({ verdict }) => verdict);
  assert.deepEqual(verdicts, Array.from(asked, (_, n) => (n % 2 ? "stuck" : "healthy")));
});

test("Node.js ends although a process waits, and waits for answers", () => {
  const code = `require("transcript-doctor").precheck(${JSON.stringify(STUCK)}).then((own) => console.log(own.verdict))`;
  assert.equal(execFileSync(process.execPath, ["-e", code], { timeout: 20_000, encoding: "utf8" }), "stuck\n");
});

test("messages are repaired", async () => {
  const { messages, record } = await repair(STUCK);
  assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "tool", "user"]);
  assert.deepEqual([record.before.verdict, record.verdict, record.changed], ["stuck", "healthy", true]);
  assert.deepEqual((await repair(HEALTHY)).messages, HEALTHY);
  assert.equal((await repair(STUCK, { strategy: "remove-turn", unsafe: true })).messages.length, 2);
});

test("a file is repaired in place, or as a copy", async () => {
  const path = file("stuck.json", STUCK);
  const copy = join(folder, "copy.json");
  assert.equal((await repairFile(path, { output: copy })).conversations[0].verdict, "healthy");
  assert.equal((await check(copy)).summary.healthy, 1);
  assert.equal((await repairFile(path, { dryRun: true })).conversations[0].verdict, "stuck");
  assert.equal(JSON.parse(readFileSync(path, "utf8")).length, 3);
  assert.equal((await repairFile(pathToFileURL(path))).conversations[0].applied.inserted, 1);
  assert.equal(JSON.parse(readFileSync(path, "utf8")).length, 4);
});

test("a file that is in use is refused", async () => {
  const open = openSync(file("open.json", STUCK), "a");
  await assert.rejects(repairFile(join(folder, "open.json")), (error) => {
    return error instanceof RefusedError && error.report.conversations[0].verdict === "stuck";
  });
  closeSync(open);
});

test("explanations", async () => {
  assert.equal((await explain("TD104")).code, "TD104");
  assert.equal((await explain(STUCK)).conversation.verdict, "stuck");
  const error = "tool_use ids were found without tool_result blocks immediately after: call_1";
  assert.ok((await explain(null, { error })).read.codes.includes("TD101"));
});

test("the package has its licenses, its types, and the version of the program", () => {
  const root = dirname(require.resolve("transcript-doctor/package.json"));
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-NOTICES.txt", "README.md", "lib/index.d.ts"]) {
    assert.ok(readFileSync(join(root, name), "utf8").length > 100, name);
  }
  const platform = dirname(dirname(doctor.findBinary()));
  assert.ok(readFileSync(join(platform, "LICENSE-MIT"), "utf8").length > 100);
  const shown = execFileSync(doctor.findBinary(), ["-V"], { encoding: "utf8" });
  assert.equal(shown.split(" ")[1], doctor.version);
  const declared = readFileSync(join(root, "lib/index.d.ts"), "utf8");
  for (const name of Object.keys(doctor)) {
    assert.match(declared, new RegExp(`export (function|class|const) ${name}\\b`), name);
  }
});

test("names can be imported by modules", async () => {
  const module = await import(pathToFileURL(require.resolve("transcript-doctor")));
  assert.deepEqual(Object.keys(doctor).filter((name) => module[name] !== doctor[name]), []);
});

test("the example of the manual is valid", async () => {
  const page = readFileSync(join(__dirname, "../../../docs/javascript.md"), "utf8");
  const [, code] = page.match(/^```js\n(.*?)^```/ms);
  writeFileSync(join(folder, "example.mjs"), code);
  execFileSync(process.execPath, ["--check", join(folder, "example.mjs")]);
  const names = code.match(/^import \{ (.*) \}/)[1].split(", ");
  assert.deepEqual(names.filter((name) => !(name in doctor)), []);
});

test("the example of the page runs", () => {
  const root = dirname(require.resolve("transcript-doctor/package.json"));
  const [, code] = readFileSync(join(root, "README.md"), "utf8").match(/^```js\n(.*?)^```/ms);
  const script = code.replaceAll("console.assert(", "require('node:assert')(");
  execFileSync(process.execPath, ["-e", script], { timeout: 20_000 });
});
