//! Names instead of paths: hosts, sessions by ID, the newest one, those of the project. The home is
//! synthetic.

use std::time::{Duration, SystemTime};

use crate::bench::{Bench, Ran, STUCK, healthy};

/// IDs of OpenHands conversations; the first two start alike.
const A: &str = "81625941432749c6a9a44ba08aafa96f";
const B: &str = "81625941999949c6a9a44ba08aafa96f";
const C: &str = "0197c0bb22227a118c009d0055e51062";
/// A session of pi.
const PI: &str = "5f1c0000-2222-4a11-8c00-9d0055e51062";

/// A healthy session of pi, started in this folder.
fn pi_session(id: &str, cwd: &str) -> String {
    [
        format!(r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-02-25T06:20:00.000Z","cwd":"{cwd}"}}"#),
        r#"{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-02-25T06:20:01.000Z","message":{"role":"user","content":[{"type":"text","text":"list the files"}],"timestamp":1772000401000}}"#.to_owned(),
        r#"{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-02-25T06:20:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"a and b"}],"api":"anthropic-messages","provider":"anthropic","model":"claude","stopReason":"stop","timestamp":1772000402000}}"#.to_owned(),
        String::new(),
    ]
    .join("\n")
}

impl Bench {
    fn openhands(&self, id: &str, records: &[&str]) -> String {
        let path = format!(".openhands/conversations/{id}");
        self.conversation(&path, records);
        path
    }

    /// A folder whose state belongs to the conversation that the folder is named after.
    fn conversation(&self, path: &str, records: &[&str]) {
        self.folder(path, records);
        let id = path.rsplit('/').next().unwrap();
        let state = format!(r#"{{"id":"{id}","execution_status":"idle"}}"#);
        self.write(&format!("{path}/base_state.json"), state);
    }

    fn pi(&self, project: &str, id: &str, cwd: &str) -> String {
        let path = format!(".pi/agent/sessions/{project}/2026-02-25T06-20-00-000Z_{id}.jsonl");
        self.write(&path, pi_session(id, cwd));
        path
    }

    /// Makes everything at a path `seconds` seconds old, so that nothing seems to be written right
    /// now.
    fn age(&self, name: &str, seconds: u64) {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        let mut todo = vec![self.path(name)];
        while let Some(path) = todo.pop() {
            std::fs::File::open(&path).unwrap().set_modified(time).unwrap();
            if path.is_dir() {
                todo.extend(std::fs::read_dir(&path).unwrap().map(|item| item.unwrap().path()));
            }
        }
    }
}

fn home() -> Bench {
    let bench = Bench::new();
    bench.openhands(A, &STUCK);
    bench.openhands(B, &healthy());
    bench.openhands(C, &healthy());
    bench.conversation(
        &format!(".openhands/conversations/{C}/subagents/{}", "c".repeat(32)),
        &healthy(),
    );
    bench.write(".openhands/conversations/notes.txt", "nothing");
    bench.pi("--w-shop--", PI, "/w/shop");
    for path in [".openhands", ".pi"] {
        bench.age(path, 3600);
    }
    bench
}

/// The last components of the paths of all conversations, in order.
fn paths(ran: &Ran) -> Vec<String> {
    let json = ran.json();
    let list = json["conversations"].as_array().unwrap().clone();
    let name =
        |c: &serde_json::Value| c["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    list.iter().map(name).collect()
}

#[test]
fn a_host_by_its_name() {
    let bench = home();
    let ran = bench.run(&["check", "@openhands", "-f", "json"]).exits(1);
    assert_eq!(paths(&ran), [C, &"c".repeat(32), A, B]);
    assert!(ran.json()["conversations"][1]["parent"].as_str().unwrap().ends_with(C));
    let ran = bench.run(&["check", "@pi", "-f", "json"]).exits(0);
    assert_eq!(paths(&ran), [format!("2026-02-25T06-20-00-000Z_{PI}.jsonl")]);
    bench
        .run(&["check", "@all", "-v"])
        .exits(1)
        .says("5 conversations: 1 stuck, 4 healthy.")
        .says("started by\n         0197c0bb");
    let one = bench.path(&format!(".openhands/conversations/{A}"));
    bench.run(&["check", "@all", "@pi", one.to_str().unwrap()]).exits(1).says("5 conversations");
    bench.run(&["check", "@openclaw"]).exits(5).complains(".openclaw").complains("no sessions in");
    bench.run(&["check", "@openclaw", "--allow-empty"]).exits(0);
    bench
        .run(&["check", "@nobody"])
        .exits(2)
        .complains("no host has this name")
        .complains("@openhands");
    // Next to an existing name, a missing one is not checked.
    bench.run(&["check", "@pi", "@openclaw"]).exits(3).says("not checked  @openclaw");
}

#[test]
fn the_hosts_own_variables_come_first() {
    let bench = home();
    bench.write(
        "else/sessions/--w--/2026-02-25T06-20-00-000Z_my-own.id.jsonl",
        pi_session("my-own.id", "/w"),
    );
    let mut command = bench.command(&["check", "@pi", "-f", "json"]);
    let ran = Ran::from(command.env("PI_CODING_AGENT_DIR", "~/else").output().unwrap()).exits(0);
    assert_eq!(paths(&ran), ["2026-02-25T06-20-00-000Z_my-own.id.jsonl"]);
    let mut command = bench.command(&["check", "my-own.id"]);
    Ran::from(command.env("PI_CODING_AGENT_DIR", "~/else").output().unwrap()).exits(0);
    // Without a home, there is nowhere to search.
    let mut command = bench.command(&["check", "@pi"]);
    Ran::from(command.env_remove("HOME").output().unwrap()).exits(5).complains("HOME is not set");
    let mut command = bench.command(&["check", "@openclaw"]);
    let ran = Ran::from(command.env("WSL_DISTRO_NAME", "Ubuntu").output().unwrap()).exits(5);
    ran.complains("/mnt/c/Users/");
}

#[test]
fn sessions_of_oh_my_pi_have_their_title_above_the_header() {
    let bench = home();
    let cwd = bench.path("shop");
    std::fs::create_dir_all(&cwd).unwrap();
    let title =
        r#"{"type":"title","v":1,"title":"","updatedAt":"2026-09-10T15:52:31.091Z","pad":""}"#;
    let session = |id| format!("{title}\n{}", pi_session(id, cwd.to_str().unwrap()));
    let name = |id| format!("2026-09-10T15-50-01-957Z_{id}.jsonl");
    let (own, other, moved) = ("01a08c02-1", "01a08c02-2", "01a08c02-3");
    bench.write(&format!(".omp/agent/sessions/-shop/{}", name(own)), session(own));
    bench
        .write(&format!(".omp/profiles/work/agent/sessions/-shop/{}", name(other)), session(other));
    bench.write(&format!("data/omp/sessions/-shop/{}", name(moved)), session(moved));
    let ran = bench.run(&["check", "@oh-my-pi", "-f", "json"]).exits(0);
    assert_eq!(paths(&ran), [name(own), name(other)]);
    assert_eq!(ran.json()["conversations"][0]["host"], "oh-my-pi");
    let mut command = bench.command(&["check", "@oh-my-pi", "-f", "json"]);
    let ran = Ran::from(command.env("XDG_DATA_HOME", "~/data").output().unwrap()).exits(0);
    assert_eq!(paths(&ran), [name(own), name(other), name(moved)]);
    let mut command = bench.command(&["check", "-f", "json"]);
    let ran = Ran::from(command.current_dir(&cwd).output().unwrap()).exits(0);
    assert_eq!(paths(&ran), [name(own), name(other)]);
    bench.age(".omp", 3600);
    bench.run(&["explain", own]).exits(0).says(&format!("omp --resume {own}"));
}

#[test]
fn a_session_by_its_id_or_its_beginning() {
    let bench = home();
    bench
        .run(&["check", A])
        .exits(1)
        .says("STUCK")
        .says(&format!("Fix it:  transcript-doctor repair {A}\n"));
    bench.run(&["check", "81625941-4327-49c6-a9a4-4ba08aafa96f"]).exits(1);
    bench.run(&["check", "816259414"]).exits(1).says("transcript-doctor repair 816259414\n");
    bench.run(&["check", PI]).exits(0);
    bench.run(&["check", "5f1c"]).exits(0).says("1 conversation: 1 healthy.");
    let ran = bench.run(&["check", "8162"]).exits(2).complains("matches 2 sessions");
    let ran = ran
        .complains(A)
        .complains(B)
        .complains("openhands")
        .complains("private words")
        .complains("20");
    assert!(ran.out.is_empty(), "{}", ran.out);
    bench
        .run(&["check", "deadbeef"])
        .exits(5)
        .complains("deadbeef: no such file or folder, and no session");
    bench.run(&["check", "deadbeef", "--allow-empty"]).exits(0);
    bench.run(&["check", "deadbeef", PI]).exits(3);
    // An argument that is not an ID is a missing path.
    bench.run(&["check", "816"]).exits(3).says("no such file");
    bench.run(&["check", "gone.jsonl"]).exits(3);
    // Paths have precedence.
    bench.lines("5f1c", &STUCK);
    bench.run(&["check", "5f1c"]).exits(1).says("STUCK");
}

#[test]
fn one_id_in_two_folders_is_listed_by_path() {
    let bench = home();
    bench.pi("--w-other--", PI, "/w/other");
    let ran = bench.run(&["check", PI]).exits(2).complains("--w-shop--/").complains("--w-other--/");
    ran.complains("list the files");
}

#[test]
fn the_newest_session() {
    let bench = home();
    bench.age(&format!(".openhands/conversations/{B}/events"), 60);
    bench.age(&format!(".openhands/conversations/{C}/subagents"), 30);
    let ran = bench.run(&["check", "@latest", "-f", "json"]).exits(0);
    assert_eq!(paths(&ran), [B]);
    bench.pi("--w--", "77770000-2222-4a11-8c00-9d0055e51062", "/w");
    bench.run(&["check", "@latest"]).exits(0).says("77770000");
    let empty = Bench::new();
    empty.run(&["check", "@latest"]).exits(5).complains("no sessions in ");
    empty.run(&["check", "@all"]).exits(5).complains(".openhands");
}

#[test]
fn explain_takes_names_and_lines_of_them() {
    let bench = home();
    let ran = bench.run(&["explain", "816259414"]).exits(0).says("1. Event 2: the agent started");
    let ran = ran.says("Next:  transcript-doctor repair 816259414\n");
    ran.says(&format!("Then:  openhands --resume {A}\n"));
    bench.run(&["explain", "816259414:3"]).exits(0).says("event 3 ");
    bench.run(&["explain", "@latest:2"]).exits(0);
    bench.run(&["explain", "816259414:99"]).exits(2).complains("816259414: there is no record 99");
    bench.run(&["explain", "8162"]).exits(2).complains("matches 2 sessions");
    bench.run(&["explain", "deadbeef"]).exits(5).complains("no session has this ID");
    bench.run(&["explain", "TD104"]).exits(0).says("TD104 two-results");
    bench.run(&["explain", PI]).exits(0).says(&format!(
        "\nGo on: pi --session {PI}\n       (in /w/shop, which does not exist here)\n"
    ));
    // For check, a line refers to its file.
    bench.lines("run.jsonl", &STUCK);
    bench.run(&["check", "run.jsonl:4"]).exits(1).says("transcript-doctor repair run.jsonl\n");
}

#[test]
fn repair_diff_and_undo_take_names_and_print_the_resume_command() {
    let bench = home();
    bench.run(&["diff", "816259414"]).exits(0).says("removed");
    bench.run(&["diff", "816259414", "--as", "raw"]).exits(0);
    bench.run(&["diff", A, B, "--as", "raw", "--exit-code"]).exits(1);
    bench
        .run(&["repair", "-n", "816259414"])
        .exits(1)
        .says("Apply:  transcript-doctor repair 816259414\n");
    bench.run(&["repair", "816259414", "-o", "copy"]).exits(0).says("Untouched");
    let ran =
        bench.run(&["repair", "816259414"]).exits(0).says("Undo        transcript-doctor undo 1");
    ran.says(&format!("Then        openhands --resume {A}\n"));
    bench.run(&["check", "@openhands"]).exits(0);
    bench.run(&["repair", "@openhands", "--yes"]).exits(0);
    assert_eq!(bench.operations(), 1);
    bench.run(&["undo", "816259414", "-n"]).exits(0).says("Would restore");
    bench.run(&["undo", "deadbeef"]).exits(5).complains("no session has this ID");
    bench.run(&["undo", "@openhands"]).exits(2);
    bench.run(&["undo", "816259414", "--force-live"]).exits(0);
    bench.run(&["check", A]).exits(1);
}

#[test]
fn a_copy_elsewhere_has_no_resume_command() {
    let bench = Bench::new();
    bench.conversation(A, &STUCK);
    bench.age(A, 3600);
    let ran = bench.run(&["repair", A]).exits(0);
    ran.says(&format!(
        "Then        openhands --resume {A}   (once it is where the host looks for it)\n"
    ));
    bench.lines("run.jsonl", &STUCK);
    let ran = bench.run(&["repair", "run.jsonl"]).exits(0);
    assert!(!ran.out.contains("Then"), "{}", ran.out);
}

#[test]
fn without_arguments_check_finds_the_project() {
    let bench = home();
    let cwd = bench.path("work/shop/src");
    std::fs::create_dir_all(&cwd).unwrap();
    let real = bench.path("work/shop").canonicalize().unwrap();
    let project = format!("-{}--", real.to_str().unwrap().replace('/', "-"));
    bench.pi(&project, "77770000-2222-4a11-8c00-9d0055e51062", real.to_str().unwrap());
    for folder in [&real, &cwd] {
        let ran =
            Ran::from(bench.command(&["check"]).current_dir(folder).output().unwrap()).exits(0);
        ran.says("77770000").says("1 conversation: 1 healthy.");
    }
    let other = bench.path("other");
    std::fs::create_dir_all(&other).unwrap();
    let ran = Ran::from(bench.command(&["check"]).current_dir(&other).output().unwrap()).exits(2);
    ran.complains("no agent session").complains("Recent sessions").says("private words");
    let mut command = bench.command(&["check", "--allow-empty", "-f", "json"]);
    let ran = Ran::from(command.current_dir(&other).output().unwrap()).exits(0);
    assert_eq!(ran.json()["summary"]["conversations"], 0);
    bench.run(&["repair"]).exits(2);
}

#[test]
fn other_files_in_host_folders_are_skipped() {
    let bench = home();
    let before = bench.tree("");
    bench.write(".pi/agent/sessions/--w-shop--/notes.jsonl", "{}\n");
    bench.write(".pi/agent/sessions/--w-shop--/2026-02-25T06-20-00-000Z_x.jsonl", "{\"a\":1}\n");
    bench.write(".pi/agent/auth.json", "{\"type\":\"session\"}");
    bench
        .run(&["check", "@pi"])
        .exits(0)
        .says("1 conversation: 1 healthy.")
        .says("Skipped 1 file that is not a transcript (list: -v).");
    for file in ["notes.jsonl", "2026-02-25T06-20-00-000Z_x.jsonl"] {
        std::fs::remove_file(bench.path(&format!(".pi/agent/sessions/--w-shop--/{file}"))).unwrap();
    }
    std::fs::remove_file(bench.path(".pi/agent/auth.json")).unwrap();
    assert_eq!(bench.tree(""), before);
}

const TWICE: &str = "messages.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_01A";

#[test]
fn an_error_is_looked_up_in_the_sessions_of_all_hosts() {
    let bench = home();
    let other: Vec<String> =
        STUCK.iter().map(|record| record.replace("toolu_01A", "toolu_02B")).collect();
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    let found = bench.openhands(&"d".repeat(32), &other);
    bench.age(&found, 3600);
    let text = TWICE.replace("01A", "02B");
    let ran = bench.run(&["explain", "--error", &text, "--find"]).exits(0).says("fatal[TD104]");
    let ran = ran.says(&format!("Found:  ~/.openhands/conversations/{}", "d".repeat(32)));
    let ran = ran.says(&format!("Next:  transcript-doctor repair {}\n", "d".repeat(8)));
    let ran = ran.says(&format!("Then:   openhands --resume {}\n", "d".repeat(32)));
    ran.complains("searched 6 transcripts: 1 contains an ID of the error");
    // Named files are searched, too.
    bench.lines("elsewhere/run.jsonl", &other);
    bench.lines("elsewhere/else.jsonl", &healthy());
    let ran = bench.run(&["explain", "elsewhere", "--error", &text, "--find"]).exits(0);
    ran.says("Found:  elsewhere/run.jsonl").complains("searched 8 transcripts: 2 contain");
    // The healthy sessions contain the same ID, and nothing is wrong with it there.
    let ran = bench.run(&["explain", "--error", TWICE, "--find"]).exits(0).says(A);
    assert!(!ran.out.contains(B) && !ran.out.contains(C), "{}", ran.out);
    let none = bench.run(&["explain", "--error", &TWICE.replace("01A", "09Z"), "--find"]).exits(5);
    none.complains("searched 6 transcripts: none contains");
    bench
        .run(&["explain", "--error", "text content blocks must be non-empty", "--find"])
        .exits(5)
        .complains(
            "searched the newest 6 transcripts for a problem that causes this error: none has one",
        );
    bench.run(&["explain", "--find"]).exits(2);
}

/// A line of a Claude Code session.
fn claude(session: &str, uuid: &str, parent: &str, cwd: &str, side: bool, message: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    let kind = if message.contains(r#""role":"user""#) { "user" } else { "assistant" };
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":{side},"userType":"external","cwd":"{cwd}","sessionId":"{session}","version":"2.1.20","gitBranch":"","type":"{kind}","message":{message},"uuid":"{uuid}","timestamp":"2026-02-25T06:20:00.000Z"}}"#
    )
}

/// A session with a question and an answer; the folder changes in between.
fn claude_session(session: &str, from: &str, to: &str, side: bool) -> String {
    let uuid = |n: u32| format!("{n:08}-0000-4000-8000-000000000000");
    let question = r#"{"role":"user","content":"how are you"}"#;
    let answer = r#"{"model":"claude-x","id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"well"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{}}"#;
    let first = claude(session, &uuid(1), "", from, side, question);
    let second = claude(session, &uuid(2), &uuid(1), to, side, answer);
    format!("{first}\n{second}\n")
}

#[test]
fn claude_code_with_its_sub_agents() {
    let bench = Bench::new();
    let (a, b) = ("aaaa0000-2222-4a11-8c00-9d0055e51062", "bbbb0000-2222-4a11-8c00-9d0055e51062");
    let project = ".claude/projects/-w-my-shop";
    let session = |id: &str, side| claude_session(id, "/w/my shop", "/w/my shop/src", side);
    bench.write(&format!("{project}/{a}.jsonl"), session(a, false));
    bench.write(&format!("{project}/{a}/subagents/agent-a21.jsonl"), session(a, true));
    bench.write(&format!("{project}/{a}/subagents/runs/one/agent-c43.jsonl"), session(a, true));
    bench.write(&format!("{project}/{a}/tool-results/big.jsonl"), session(a, true));
    bench.write(&format!("{project}/{b}.jsonl"), session(b, false));
    bench.write(&format!("{project}/agent-b32.jsonl"), session(b, true));
    bench.write(&format!("{project}/sessions-index.json"), "{}");
    bench.write(".claude/history.jsonl", "{}\n");
    bench.age(".claude", 3600);
    let names = [
        format!("{a}.jsonl"),
        "agent-a21.jsonl".into(),
        "agent-c43.jsonl".into(),
        format!("{b}.jsonl"),
        "agent-b32.jsonl".into(),
    ];
    for word in ["@claude-code", "@all"] {
        let ran = bench.run(&["check", word, "-f", "json"]).exits(0);
        assert_eq!(paths(&ran), names);
        let parents: Vec<bool> = ran.json()["conversations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| c["parent"].is_string())
            .collect();
        assert_eq!(parents, [false, true, true, false, true]);
    }
    bench
        .run(&["check", "@claude-code", "-v"])
        .exits(0)
        .says(&format!("started by {a}.jsonl"))
        .says("5 conversations: 5 healthy.");
    // A walk over the same folders also lists sub-agents after their sessions.
    let ran = bench.run(&["check", ".claude", "-f", "json"]).exits(0);
    assert_eq!(paths(&ran)[..3], names[..3]);
    bench.run(&["check", "agent-a21"]).exits(0).says("agent-a21.jsonl");
    bench.run(&["check", "a21e"]).exits(5);
    bench.run(&["explain", "aaaa"]).exits(0).says(&format!(
        "Go on:  claude --resume {a}\n        (in /w/my shop, which does not exist here)\n"
    ));
    let ran = bench.run(&["explain", "agent-a21"]).exits(0);
    assert!(!ran.out.contains("claude --resume"), "{}", ran.out);
    let real = bench.path("work").to_str().unwrap().to_owned();
    std::fs::create_dir(&real).unwrap();
    let real = std::fs::canonicalize(&real).unwrap();
    let slug: String = real
        .to_str()
        .unwrap()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    bench.write(&format!("other/projects/{slug}/{b}.jsonl"), session(b, false));
    let mut command = bench.command(&["check"]);
    command.env("CLAUDE_CONFIG_DIR", bench.path("other")).current_dir(&real);
    Ran::from(command.output().unwrap())
        .exits(0)
        .says(&format!("{b}.jsonl"))
        .says("1 conversation: 1 healthy.");
}

#[test]
fn gemini_cli_with_short_names() {
    let bench = Bench::new();
    let id = "0197c0bb-2222-7a11-8c00-9d0055e51062";
    let chat = |id: &str| {
        format!(
            "{{\"sessionId\":\"{id}\",\"projectHash\":\"ab\",\"startTime\":\"2026-02-25T06:20:00.000Z\",\"lastUpdated\":\"2026-02-25T06:20:00.000Z\",\"kind\":\"main\"}}\n\
             {{\"id\":\"m1\",\"timestamp\":\"2026-02-25T06:20:01.000Z\",\"type\":\"user\",\"content\":[{{\"text\":\"hello\"}}]}}\n\
             {{\"id\":\"m2\",\"timestamp\":\"2026-02-25T06:20:02.000Z\",\"type\":\"gemini\",\"content\":\"hi\",\"thoughts\":[],\"model\":\"g\"}}\n"
        )
    };
    let chats = ".gemini/tmp/shop/chats";
    let cwd = bench.path("work");
    std::fs::create_dir(&cwd).unwrap();
    bench.write(".gemini/tmp/shop/.project_root", cwd.canonicalize().unwrap().to_str().unwrap());
    bench.write(".gemini/tmp/shop/logs.json", "[]");
    bench.write(&format!("{chats}/session-2026-02-25T06-20-0197c0bb.jsonl"), chat(id));
    bench.write(
        &format!("{chats}/{id}/5555c0bb-2222-7a11-8c00-9d0055e51062.jsonl"),
        chat("5555c0bb"),
    );
    bench.age(".gemini", 3600);
    let ran = bench.run(&["check", "@gemini-cli", "-f", "json"]).exits(0);
    assert_eq!(
        paths(&ran),
        ["session-2026-02-25T06-20-0197c0bb.jsonl", "5555c0bb-2222-7a11-8c00-9d0055e51062.jsonl"]
    );
    assert!(ran.json()["conversations"][1]["parent"].is_string());
    bench.run(&["check", id]).exits(0).says("1 conversation: 1 healthy.");
    bench.run(&["check", "0197c0bb-3333-7a11-8c00-9d0055e51062"]).exits(5);
    bench.run(&["explain", "0197"]).exits(0).says(&format!("Go on: gemini --resume {id}\n"));
    let ran = Ran::from(bench.command(&["check"]).current_dir(&cwd).output().unwrap()).exits(0);
    ran.says("2 conversations: 2 healthy.");
}

#[test]
fn codex_by_day_by_id_and_by_project() {
    let bench = Bench::new();
    let rollout = include_str!("../../fixtures/healthy/codex/legacy.jsonl");
    let id = "01930000-0000-7000-8000-000000000001";
    let name = format!("rollout-2026-03-04T05-06-07-{id}.jsonl");
    let cwd = bench.path("orchard");
    std::fs::create_dir(&cwd).unwrap();
    let real = cwd.canonicalize().unwrap();
    let here = rollout.replace("/home/ada/orchard", real.to_str().unwrap());
    bench.write(&format!(".codex/sessions/2026/03/04/{name}"), &here);
    let other = "01940000-0000-7000-8000-000000000001";
    let archived = format!("rollout-2026-03-05T05-06-07-{other}.jsonl");
    bench.write(&format!(".codex/archived_sessions/{archived}"), rollout.replace(id, other));
    bench.write(".codex/history.jsonl", "{}\n");
    bench.age(".codex", 3600);
    let ran = bench.run(&["check", "@codex", "-f", "json"]).exits(0);
    assert_eq!(paths(&ran), [archived, name.clone()]);
    std::fs::create_dir_all(bench.path("orchard")).unwrap();
    let line = format!("Go on: cd ~/orchard && codex resume {id}\n");
    bench.run(&["explain", "01930000-0000"]).exits(0).says(&line);
    let ran =
        Ran::from(bench.command(&["check", "-f", "json"]).current_dir(&cwd).output().unwrap())
            .exits(0);
    assert_eq!(paths(&ran), [name]);
}
