// Makes the npm packages of a release: `node packaging/npm/build.js BINARIES OUT`.
//
// BINARIES/<target>/ has the program for each target. OUT/ gets a folder for each package: one with the program for
// each platform, and `transcript-doctor`, which depends on all of them, of this very version.
"use strict";

const { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { basename, join } = require("node:path");

const [binaries, out] = process.argv.slice(2);
if (!out) {
  console.error("usage: node packaging/npm/build.js BINARIES OUT");
  process.exit(2);
}

const root = join(__dirname, "../..");
const readJson = (path) => JSON.parse(readFileSync(join(__dirname, path), "utf8"));
const { bin, main: entry, types, exports: entries, files, engines, ...common } = readJson("transcript-doctor/package.json");
const version = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.*)"$/m)[1];

/** Writes a package into a folder, with what is the same in all of them. */
function writePackage(folder, members) {
  const manifest = { ...common, version, files, ...members };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const page of ["packaging/npm/README.md", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-NOTICES.txt"]) {
    cpSync(join(root, page), join(folder, basename(page)));
  }
}

const optionalDependencies = {};
for (const [target, { os, cpu }] of Object.entries(readJson("targets.json"))) {
  const name = `transcript-doctor-${os}-${cpu}`;
  const programs = ["transcript-doctor", "transcript-doctor.exe"].map((file) => join(binaries, target, file));
  const program = programs.find(existsSync);
  if (!program) {
    throw new Error(`${join(binaries, target)} has no program`);
  }
  const copy = join(out, name, "bin", basename(program));
  mkdirSync(join(out, name, "bin"), { recursive: true });
  cpSync(program, copy);
  chmodSync(copy, 0o755);
  // Yarn keeps packages zipped, and a program in an archive does not start.
  writePackage(join(out, name), { name, os: [os], cpu: [cpu], preferUnplugged: true });
  optionalDependencies[name] = version;
}

const main = join(out, "transcript-doctor");
cpSync(join(__dirname, "transcript-doctor"), main, { recursive: true });
writePackage(main, { bin, main: entry, types, exports: entries, engines, optionalDependencies });
