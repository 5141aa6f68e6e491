#!/usr/bin/env node
// Runs the program, which is in a package for each platform. They are optional, so npm installs only the one that fits.
"use strict";

const { spawn } = require("node:child_process");

const platform = `transcript-doctor-${process.platform}-${process.arch}`;
const name = process.platform === "win32" ? "transcript-doctor.exe" : "transcript-doctor";

let program;
try {
  program = require.resolve(`${platform}/bin/${name}`);
} catch {
  console.error(
    `transcript-doctor: the package ${platform} is not installed. Either there is none for this platform, ` +
      "or optional dependencies were left out (--omit=optional), or node_modules was copied from another platform.",
  );
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
