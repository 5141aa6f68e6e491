// A process that stays: a conversation a line in, exactly one record for each out, in their order.
"use strict";

const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");
const { findBinary } = require("./binary.js");
const { failure } = require("./errors.js");

/** A running `check --rows` or `repair --rows`. Node.js may end while it waits for rows. */
class Rows {
  constructor(command, options) {
    this.waiting = [];
    this.answered = 0;
    this.ended = false;
    this.stderr = "";
    const protocol = ["--rows", "--rows-errors", "--format", "jsonl", "--isolated", "--jobs=1"];
    this.child = spawn(findBinary(), [command, ...protocol, ...options, "-"]);
    this.handles = [this.child, this.child.stdin, this.child.stdout, this.child.stderr];
    this.handles.forEach((handle) => handle.unref());
    // What it prints when it dies says more than a broken pipe.
    this.child.stdin.on("error", () => {});
    this.child.stderr.setEncoding("utf8").on("data", (text) => {
      this.stderr = (this.stderr + text).slice(-10_000);
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => this.take(line));
    this.child.on("error", (error) => this.fail(failure("did not start", { stderr: error.message })));
    this.child.on("close", (status, signal) => {
      const what = `ended after the records of ${this.answered} rows`;
      this.fail(failure(what, { status, signal, stderr: this.stderr }));
    });
  }

  /** The record of a row. */
  ask(row) {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) {
        this.handles.forEach((handle) => handle.ref());
      }
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${row}\n`);
    });
  }

  take(line) {
    const record = parsed(line);
    if (record?.row?.line !== this.answered + 1) {
      this.child.kill("SIGKILL");
      this.fail(failure(`printed another record than that of row ${this.answered + 1}`, { stderr: line }));
      return;
    }
    this.answered += 1;
    const { resolve } = this.waiting.shift();
    if (this.waiting.length === 0) {
      this.handles.forEach((handle) => handle.unref());
    }
    resolve(record);
  }

  fail(error) {
    this.ended = true;
    const waiting = this.waiting;
    this.waiting = [];
    waiting.forEach(({ reject }) => reject(error));
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const running = new Map();

/** Asks the process for these options, which the first row starts. Another one replaces it if it died. */
function ask(command, options, row) {
  const key = JSON.stringify([command, options]);
  let rows = running.get(key);
  if (!rows || rows.ended) {
    rows = new Rows(command, options);
    running.set(key, rows);
  }
  return rows.ask(row);
}

module.exports = { ask };
