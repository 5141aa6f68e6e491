// Finds and repairs damage in transcripts of LLM agents, by running the program. Nothing is sent anywhere.
"use strict";

const { spawn } = require("node:child_process");
const { fileURLToPath } = require("node:url");
const { findBinary } = require("./binary.js");
const errors = require("./errors.js");
const { ask } = require("./rows.js");
const { version } = require("../package.json");

const { NotFoundError, ProgramError, RefusedError, UnknownFormatError, UsageError } = errors;

/** What a list without messages is: no format, no provider. */
const EMPTY = { verdict: "empty", records: 0, calls: 0, findings: [], pending: [], unknown_side_effects: [] };
const COUNTS = ["conversations", "empty", "healthy", "stuck", "lossy", "pending", "unreadable", "unknown", "not_checked"];

/** Finds what is wrong with a transcript, or with the messages of a request. */
async function check(transcript, options = {}) {
  if (isEmpty(transcript)) {
    const none = Object.fromEntries(COUNTS.map((name) => [name, 0]));
    return {
      schema: "transcript-doctor/report/v1",
      target: "none",
      summary: { ...none, conversations: 1, empty: 1 },
      conversations: [{ path: "-", ...EMPTY }],
      not_checked: [],
      skipped: [],
      exit_code: 0,
    };
  }
  return answer("check", ["--isolated", ...words(options)], transcript);
}

/** Explains a transcript, a record, a rule, or an error message. */
async function explain(what, options = {}) {
  return what == null ? run("explain", words(options)) : answer("explain", words(options), what);
}

/** Checks the messages of a request, or its body, in a process that stays. */
async function precheck(messages, options = {}) {
  if (isEmpty(messages)) {
    return { ...EMPTY };
  }
  const record = await ask("check", words(options), json(messages));
  if (record.error !== undefined) {
    throw new (errors.kindOfReason(record.error))(`not checked: ${record.error}`);
  }
  return record;
}

/** Repairs the messages of a request: what is safe, or what the options say. */
async function repair(messages, options = {}) {
  if (isEmpty(messages)) {
    return { messages, record: { ...EMPTY, text: "[]", changed: false, changes: [] } };
  }
  const record = await ask("repair", words(options), json(messages));
  if (record.error !== undefined) {
    throw new (errors.kindOfReason(record.error))(`not repaired: ${record.error}`);
  }
  return { messages: JSON.parse(record.text), record };
}

/** Repairs a transcript in place, or writes a copy. */
async function repairFile(path, options = {}) {
  if (typeof path !== "string" && !(path instanceof URL)) {
    throw new TypeError(`a path is a string or a URL, not ${typeof path}`);
  }
  return answer("repair", ["--isolated", ...words(options)], path);
}

/** Runs a command on a path or on messages, and reads its JSON. */
function answer(command, options, what) {
  const path = what instanceof URL ? fileURLToPath(what) : what;
  return typeof path === "string"
    ? run(command, [...options, "--", path])
    : run(command, [...options, "--", "-"], json(what));
}

/** Runs a command, and reads its JSON. */
function run(command, words, stdin = "") {
  return new Promise((resolve, reject) => {
    const child = spawn(findBinary(), [command, "--format", "json", ...words]);
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.on("error", (error) => reject(errors.failure("did not start", { stderr: error.message })));
    child.on("close", (status, signal) => {
      // 1: problems were found, or are left
      if (status === 0 || status === 1) {
        resolve(JSON.parse(stdout));
      } else {
        reject(errors.failure(command, { status, signal, stdout, stderr }));
      }
    });
    // A program that refuses its options reads nothing.
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
  });
}

/** Writes messages as the program reads them: JSON on one line. */
function json(messages) {
  if (messages === null || typeof messages !== "object") {
    throw new TypeError(`messages are a list, or the body of a request, not ${messages === null ? "null" : typeof messages}`);
  }
  return JSON.stringify(messages);
}

/** Whether there are no messages. A list without any does not show its format. */
function isEmpty(messages) {
  if (Array.isArray(messages)) {
    return messages.length === 0;
  }
  const lists = [messages?.messages, messages?.input, messages?.contents];
  return lists.some((list) => Array.isArray(list) && list.length === 0);
}

/** Writes options as they are typed: `minConfidence: "likely"` is `--min-confidence=likely`; a list gives one several times. */
function words(options) {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === null || value === false) {
      return [];
    }
    return value === true ? [option] : [value].flat().map((one) => `${option}=${one}`);
  });
}

module.exports = {
  NotFoundError,
  ProgramError,
  RefusedError,
  UnknownFormatError,
  UsageError,
  check,
  explain,
  findBinary,
  precheck,
  repair,
  repairFile,
  version,
};
