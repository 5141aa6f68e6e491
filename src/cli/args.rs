//! The arguments of each command.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::values;
use crate::rules::{Prefer, Rule};

/// `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Files, conversation folders, trees of them, - for standard input; @HOST, @all, @latest, or a
    /// session's id or its beginning [default: the sessions of this folder's project]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Exit with 0 whatever is found
    #[arg(long)]
    pub exit_zero: bool,
    /// Judge each row of a JSONL file, or of an array, as a conversation of its own
    #[arg(long)]
    pub rows: bool,
}

/// Which treatments are taken.
#[derive(Clone, Debug, Default, Args)]
pub struct Treat {
    /// Also take treatments that need a guess or give up content; with --from even where they change more than 5 records
    /// and a tenth of all, answer more than 5 turns and half of all, or change more than 5 rows and half of all
    #[arg(long = "unsafe")]
    pub with_unsafe: bool,
    /// Take only treatments of these rules: codes or names, separated by commas
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = values::rule)]
    pub only: Vec<&'static Rule>,
    /// Answer calls that still wait at the end, too
    #[arg(long)]
    pub answer_pending: bool,
    /// Which of several results of a call is kept: the best (rank), the first, the last, or the one
    /// with this number among the choices that check shows
    #[arg(long, value_name = "rank|first|last|NUMBER", default_value = "rank", hide_default_value = true, value_parser = values::prefer)]
    pub prefer: Prefer,
    /// Prefer so for this call only: its id, as printed, or its beginning
    #[arg(long, value_name = "ID", requires = "prefer")]
    pub call: Option<String>,
    /// What is done about calls without a result
    #[arg(long, value_name = "HOW", default_value = "least-loss")]
    pub strategy: StrategyArg,
    /// How a repair is written; a branch only where records name their parents (pi, OpenClaw)
    #[arg(long, value_name = "STYLE", default_value = "in-place")]
    pub write_style: WriteStyleArg,
    /// Judge each row of a JSONL file, or of an array, as a conversation of its own
    #[arg(long)]
    pub rows: bool,
}

/// What is done about calls without a result.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StrategyArg {
    /// A marked error result answers each
    #[default]
    LeastLoss,
    /// The model's turn goes with all its calls and their results; needs --unsafe
    RemoveTurn,
}

/// How a repair is written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WriteStyleArg {
    /// Records change, move and go where they are
    #[default]
    InPlace,
    /// The file keeps every record, and the repaired end is appended as a new branch
    Branch,
}

/// `repair`.
#[derive(Debug, Args)]
pub struct Repair {
    /// Files, conversation folders, trees of them, or - to filter standard input to standard output; @HOST, @all,
    /// @latest, or a session's id or its beginning
    #[arg(required = true, value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Show what would change and write nothing
    #[arg(short = 'n', long, conflicts_with = "output")]
    pub dry_run: bool,
    /// Write a repaired copy here (- for standard output) and leave the source alone
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Replace what is at the path of --output
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Apply without asking
    #[arg(short, long)]
    pub yes: bool,
    /// Which treatments are taken.
    #[command(flatten)]
    pub treat: Treat,
    /// Repair only what this error of a provider or a host names, as pasted; - reads it from standard input
    #[arg(long, value_name = "TEXT|-", allow_hyphen_values = true)]
    pub error: Option<String>,
    /// Do not print the difference
    #[arg(long)]
    pub no_diff: bool,
    /// Exit with 1 if anything was written
    #[arg(long)]
    pub error_on_change: bool,
    /// Keep the time stamps of the files
    #[arg(long)]
    pub keep_mtime: bool,
    /// Keep the originals in this folder instead of the journal's own
    #[arg(long, value_name = "DIR", conflicts_with = "no_backup")]
    pub backup_dir: Option<PathBuf>,
    /// Keep no originals, only what is needed to undo
    #[arg(long)]
    pub no_backup: bool,
    /// Where another process is writing, wait so many seconds for its end
    #[arg(
        long,
        value_name = "SECS",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub wait: u64,
    /// Write even where another process may be writing
    #[arg(long, conflicts_with = "wait")]
    pub force_live: bool,
}

/// `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// What repair would change
    #[arg(value_name = "TARGET")]
    pub a: PathBuf,
    /// Compare TARGET with this recording instead
    #[arg(value_name = "OTHER")]
    pub b: Option<PathBuf>,
    /// What is compared
    #[arg(long = "as", value_name = "VIEW", default_value = "records")]
    pub view: ViewArg,
    /// Counts only
    #[arg(long)]
    pub stat: bool,
    /// Exit with 1 if there are differences
    #[arg(long)]
    pub exit_code: bool,
    /// Which treatments are taken.
    #[command(flatten)]
    pub treat: Treat,
}

/// What `diff` compares.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// Bytes: a unified diff for patch and git apply
    Raw,
    /// Records by id, their members by JSON pointer
    Records,
    /// The messages that the provider would receive
    Messages,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// A rule: its code or its name; or a recording, by its path or the session's id: how it came to be as it is; or
    /// FILE:LINE, FOLDER:EVENT, ID:LINE: one record
    #[arg(value_name = "RULE|FILE|ID", required_unless_present_any = ["list", "error"])]
    pub what: Option<String>,
    /// Of a recording: the record or the call with this id, which may be shortened
    #[arg(value_name = "RECORD", conflicts_with_all = ["list", "call", "error", "around"])]
    pub id: Option<String>,
    /// List all rules
    #[arg(long)]
    pub list: bool,
    /// Of a recording: the records of the call with this id, which may be shortened
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    pub call: Option<String>,
    /// Of a recording: which records this error of a provider or a host means, as pasted; - reads it from standard input
    #[arg(long, value_name = "TEXT|-", conflicts_with_all = ["list", "call", "around"], allow_hyphen_values = true)]
    pub error: Option<String>,
    /// Of an error that names ids: search the sessions of all hosts, and FILE if there is one, for the recording
    #[arg(long, requires = "error")]
    pub find: bool,
    /// Of a recording: which records the timeline shows
    #[arg(long, value_name = "WHICH", default_value = "around")]
    pub timeline: TimelineArg,
    /// Records before and behind each one of the timeline
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub context: usize,
    /// The timeline around this line, event number or id, instead of around what happened
    #[arg(long, value_name = "LINE|ID")]
    pub around: Option<String>,
    /// Do not look for causes
    #[arg(long)]
    pub no_story: bool,
    /// Of a recording: judge each row of a JSONL file, or of an array, as a conversation of its own
    #[arg(long, conflicts_with = "list")]
    pub rows: bool,
}

/// Which records a timeline shows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TimelineArg {
    /// Every record
    All,
    /// Those involved, and some before and behind each
    #[default]
    Around,
    /// Calls and results
    Calls,
}

/// `redact`.
#[derive(Debug, Args)]
pub struct Redact {
    /// A file, a conversation's folder, a tree of them, or - for standard input; @latest, or a session's id or its beginning
    #[arg(value_name = "TARGET")]
    pub recording: PathBuf,
    /// Write the copy here (- for standard output), as NAME.redacted.jsonl; with --redact strict ids are replaced too
    #[arg(short, long, value_name = "COPY", required = true)]
    pub output: PathBuf,
    /// Replace the file at the path of --output
    #[arg(long)]
    pub force: bool,
    /// Each row of a JSONL file, or of an array, is a conversation of its own
    #[arg(long)]
    pub rows: bool,
}

/// `undo`.
#[derive(Debug, Args)]
pub struct Undo {
    /// An operation's number, batch-N for all repairs of one run, or a file, folder or session's id whose last repair is
    /// meant [default: the last repair, with all that its run repaired]
    #[arg(value_name = "OP|BATCH|FILE|ID")]
    pub what: Option<PathBuf>,
    /// List the operations
    #[arg(long, conflicts_with_all = ["what", "dry_run", "output", "yes", "force_live"])]
    pub list: bool,
    /// Show what would change and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Write the original here and leave everything else alone
    #[arg(short, long, value_name = "PATH", conflicts_with = "dry_run")]
    pub output: Option<PathBuf>,
    /// Replace what is at the path of --output
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Do not ask, wherever the files lie
    #[arg(short, long)]
    pub yes: bool,
    /// Write even where another process may be writing
    #[arg(long)]
    pub force_live: bool,
}
