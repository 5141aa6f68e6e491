/** What is wrong with a conversation: `transcript-doctor schema report` prints all members; later versions may add some. */
export interface Report {
  schema: string;
  target: string;
  summary: Record<"conversations" | "not_checked" | Verdict, number>;
  conversations: Conversation[];
  not_checked: Missed[];
  skipped: Missed[];
  exit_code: number;
}

export type Verdict = "empty" | "healthy" | "pending" | "lossy" | "stuck" | "unreadable" | "unknown";

export type Target =
  | "auto"
  | "anthropic"
  | "openai-responses"
  | "openai-chat"
  | "bedrock"
  | "gemini"
  | "mistral"
  | "strictest";

export interface Missed {
  path: string;
  why: string;
  candidates?: string[];
}

/** A conversation. Without messages it has no format and no provider. */
export interface Conversation {
  path?: string;
  format?: string;
  host?: string;
  row?: { line: number; index?: number; key?: string };
  verdict: Verdict;
  target?: string;
  target_from?: string;
  target_certain?: boolean;
  records: number;
  calls: number;
  findings: Finding[];
  /** Calls that wait for a result, which is no problem. */
  pending: string[];
  /** Calls without a result that may have run. */
  unknown_side_effects: string[];
  /** What a repair did. */
  applied?: Record<string, unknown>;
  [member: string]: unknown;
}

export interface Finding {
  code: string;
  name: string;
  severity: "note" | "warning" | "error" | "fatal";
  confidence: "guess" | "likely" | "certain";
  fingerprint: string;
  message: string;
  call_ids: string[];
  records: Record<string, unknown>[];
  fix: { applicability: "safe" | "unsafe" | "manual" | "on-request"; actions: Record<string, unknown>[] };
  [member: string]: unknown;
}

/** A conversation after its repair, and what was done. */
export interface RepairRecord extends Conversation {
  text: string;
  changed: boolean;
  changes: Record<string, unknown>[];
  before?: Conversation;
  refused?: string;
}

/** Options of the command line: `minConfidence: "likely"` is `--min-confidence likely`. A list gives one several times. */
export interface Options {
  from?: string;
  target?: Target;
  client?: "auto" | "current" | "strict";
  select?: string | string[];
  extendSelect?: string | string[];
  ignore?: string | string[];
  level?: string | string[];
  minConfidence?: "guess" | "likely" | "certain";
}

export interface CheckOptions extends Options {
  exclude?: string | string[];
  since?: string;
  hidden?: boolean;
  noIgnore?: boolean;
  baseline?: string;
  rows?: boolean;
  jobs?: number;
}

export interface ExplainOptions {
  from?: string;
  target?: Target;
  error?: string;
  call?: string;
  find?: boolean;
  timeline?: "all" | "around" | "calls";
  context?: number;
  around?: string | number;
  noStory?: boolean;
  rows?: boolean;
}

export interface RepairOptions extends Options {
  unsafe?: boolean;
  only?: string | string[];
  answerPending?: boolean;
  prefer?: "rank" | "first" | "last" | number;
  call?: string;
  strategy?: "least-loss" | "remove-turn";
}

export interface FileOptions extends RepairOptions {
  output?: string;
  force?: boolean;
  dryRun?: boolean;
  writeStyle?: "in-place" | "branch";
  wait?: number;
  keepMtime?: boolean;
  backupDir?: string;
  rows?: boolean;
}

/** A list of messages, or the body of a request. */
export type Messages = readonly object[] | { readonly [member: string]: unknown };

/**
 * Finds what is wrong with a transcript: a file, a folder of them, a session by its ID, the messages of a request, or its body.
 * Rejects if something could not be checked, which does not mean that it is healthy.
 */
export function check(transcript: string | URL | Messages, options?: CheckOptions): Promise<Report>;

/** Explains a transcript, a record (`run.jsonl:7`), a rule (`TD104`), or, without it, the `error` of the options. */
export function explain(
  what: string | URL | Messages | null | undefined,
  options?: ExplainOptions,
): Promise<Record<string, unknown>>;

/**
 * Checks the messages of a request, or its body, in a process that stays, which takes about a millisecond. The verdict is
 * `stuck` if the provider would reject the request.
 */
export function precheck(messages: Messages, options?: Options): Promise<Conversation>;

/** Repairs the messages of a request: what is safe, or what the options say. */
export function repair<M extends object>(
  messages: readonly M[],
  options?: RepairOptions,
): Promise<{ messages: M[]; record: RepairRecord }>;

/** Repairs a transcript in place, or writes a copy (`output`). `transcript-doctor undo` restores the original. */
export function repairFile(path: string | URL, options?: FileOptions): Promise<Report>;

/** The path of the program. */
export function findBinary(): string;

/** The version of this package, which is that of the program. */
export const version: string;

/** There is no answer: the program did not start, died, or could not do what was asked. */
export class ProgramError extends Error {
  /** What it printed nevertheless, as of the other files of a folder. */
  readonly report: Report | null;
}
/** The program does not know an option, or its value. */
export class UsageError extends ProgramError {}
/** There is no such file, folder, or session, or there is no transcript in the folder. */
export class NotFoundError extends ProgramError {}
/** It is not a transcript of a known format. */
export class UnknownFormatError extends ProgramError {}
/** A repair was refused, and nothing was written. */
export class RefusedError extends ProgramError {}
