// What goes wrong, as types.
"use strict";

/** The end of what the program printed to standard error that an error message repeats. */
const LAST_WORDS = 2000;

/** There is no answer: the program did not start, died, or could not do what was asked. */
class ProgramError extends Error {
  constructor(message, report = null) {
    super(message);
    this.name = new.target.name;
    this.report = report;
  }
}
class UsageError extends ProgramError {}
class NotFoundError extends ProgramError {}
class UnknownFormatError extends ProgramError {}
class RefusedError extends ProgramError {}

/** The error of a run that has no answer: `ran` is how it ended, and what it printed. */
function failure(what, { status, signal, stdout = "", stderr = "" }) {
  const how = signal ? `killed by ${signal}` : `exit status ${status}`;
  const report = reportIn(stdout);
  const missed = (report?.not_checked ?? []).map(({ path, why }) => `${path}: ${why}`).join("; ");
  const nothing = status === 5 ? "no transcript was found" : "it said nothing";
  const words = missed || stderr.slice(-LAST_WORDS).trim() || nothing;
  return new (kindOf(status, words))(`transcript-doctor ${what} (${how}): ${words}`, report);
}

function kindOf(status, words) {
  switch (status) {
    case 2:
      return UsageError;
    case 3:
      return kindOfReason(words);
    case 4:
      return RefusedError;
    case 5:
      return NotFoundError;
    default:
      return ProgramError;
  }
}

/** The error for a reason why something was not checked. Of several, the first decides. */
function kindOfReason(why) {
  const [first] = why.split(";");
  if (first.includes("no such file or folder")) {
    return NotFoundError;
  }
  return first.includes("unknown format") ? UnknownFormatError : ProgramError;
}

function reportIn(stdout) {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

module.exports = {
  NotFoundError,
  ProgramError,
  RefusedError,
  UnknownFormatError,
  UsageError,
  failure,
  kindOfReason,
};
