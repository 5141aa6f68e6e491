#!/usr/bin/env node
// Runs the program.
"use strict";

const { spawn } = require("node:child_process");
const { findBinary } = require("../lib/binary.js");

let program;
try {
  program = findBinary();
} catch (error) {
  console.error(`transcript-doctor: ${error.message}`);
  process.exit(127);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to the program, too. The other signals reach only this process.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`transcript-doctor: ${error.message}`);
  process.exit(127);
});
child.on("exit", (status, signal) => {
  if (signal === null) {
    process.exit(status);
  }
  // End as the program did.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
