// Where the program is: in a package for each platform. They are optional, so npm installs only the one that fits.
"use strict";

const PLATFORM = `transcript-doctor-${process.platform}-${process.arch}`;
const NAME = process.platform === "win32" ? "transcript-doctor.exe" : "transcript-doctor";

/** The path of the program. Throws an `Error` if its package is not installed. */
function findBinary() {
  try {
    return require.resolve(`${PLATFORM}/bin/${NAME}`);
  } catch {
    throw new Error(
      `the package ${PLATFORM} is not installed. Either there is none for this platform, ` +
        "or optional dependencies were left out (--omit=optional), or node_modules was copied from another platform.",
    );
  }
}

module.exports = { findBinary };
