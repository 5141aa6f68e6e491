//! Compressed transcripts: read, and written with the same codec.

use transcript_doctor::testing::bytes::packed::Codec;

use crate::bench::{Bench, STUCK, exists, healthy};

const BOTH: [(Codec, &str); 2] = [(Codec::Gzip, "gz"), (Codec::Zstd, "zst")];

fn lines(records: &[&str]) -> Vec<u8> {
    format!("{}\n", records.join("\n")).into_bytes()
}

fn packed(codec: Codec, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    codec.pack(&mut &*bytes, &mut out).unwrap();
    out
}

/// Two members or frames, as an appending writer leaves them.
fn in_two(codec: Codec, bytes: &[u8]) -> Vec<u8> {
    let (head, tail) = bytes.split_at(bytes.len() / 3);
    [packed(codec, head), packed(codec, tail)].concat()
}

/// The bytes that a run writes to standard output.
fn output(bench: &Bench, args: &[&str], status: i32) -> Vec<u8> {
    let output = bench.command(args).output().unwrap();
    assert_eq!(output.status.code(), Some(status), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn a_repair_keeps_the_codec_and_its_undo_is_exact() {
    for (codec, ending) in BOTH {
        let bench = Bench::new();
        let name = format!("run.jsonl.{ending}");
        let before = in_two(codec, &lines(&STUCK));
        bench.write(&name, &before);
        let told = bench.run(&["check", "--format", "json", &name]).exits(1).json();
        let placeholder = &told["conversations"][0]["findings"][0]["records"][1];
        let at = placeholder["byte"].as_array().unwrap();
        let (start, end) = (at[0].as_u64().unwrap() as usize, at[1].as_u64().unwrap() as usize);
        assert_eq!(
            &lines(&STUCK)[start..end],
            lines(&STUCK[3..4]),
            "offsets mean the unpacked stream"
        );
        assert_eq!(bench.read(&name), before);
        bench
            .run(&["repair", &name])
            .exits(0)
            .says("4 of 5 records unchanged; removed 1.")
            .says("HEALTHY");
        assert_eq!(bench.read(&name), packed(codec, &lines(&healthy())));
        bench.run(&["repair", &name]).exits(0).says("Nothing to repair");
        bench.run(&["undo", "1"]).exits(0);
        assert_eq!(bench.read(&name), before);
        // Inverse edits do not restore compressed bytes, so the original is stored all the same.
        bench.run(&["repair", "--no-backup", &name]).exits(0);
        bench.run(&["undo"]).exits(0);
        assert_eq!(bench.read(&name), before);
    }
}

#[test]
fn the_name_of_a_copy_chooses_its_codec() {
    for (codec, ending) in BOTH {
        let bench = Bench::new();
        let (sick, well) = (format!("sick.jsonl.{ending}"), format!("well.jsonl.{ending}"));
        bench.write(&sick, packed(codec, &lines(&STUCK)));
        let untouched = in_two(codec, &lines(&healthy()));
        bench.write(&well, &untouched);
        bench.run(&["repair", &well, "-o", &format!("same.jsonl.{ending}")]).exits(0);
        assert_eq!(
            bench.read(&format!("same.jsonl.{ending}")),
            untouched,
            "nothing to repair: the same bytes"
        );
        assert_eq!(output(&bench, &["repair", &well, "-o", "-"], 0), untouched);
        bench.run(&["repair", &well, "-o", "plain.jsonl"]).exits(0);
        assert_eq!(bench.read("plain.jsonl"), lines(&healthy()));
        bench.run(&["repair", &sick, "-o", "fixed.jsonl"]).exits(0);
        assert_eq!(bench.read("fixed.jsonl"), lines(&healthy()));
        bench.run(&["repair", "plain.jsonl", "-o", &format!("new.jsonl.{ending}")]).exits(0);
        assert_eq!(bench.read(&format!("new.jsonl.{ending}")), packed(codec, &lines(&healthy())));
        assert_eq!(bench.operations(), 0);
        std::fs::create_dir(bench.path("in")).unwrap();
        bench.write("in/run.jsonl", packed(codec, &lines(&STUCK)));
        bench.run(&["repair", "in", "-o", "out"]).exits(0);
        assert_eq!(
            bench.read("out/run.jsonl"),
            packed(codec, &lines(&healthy())),
            "known by its bytes, not its name"
        );
    }
}

#[test]
fn standard_input_keeps_its_codec() {
    for (codec, _) in BOTH {
        let bench = Bench::new();
        let before = packed(codec, &lines(&STUCK));
        bench.run_with(&["check", "-"], &before).exits(1).says("TD104");
        bench.run_with(&["repair", "-", "-o", "out.jsonl"], &before).exits(0);
        assert_eq!(bench.read("out.jsonl"), lines(&healthy()));
    }
}

#[test]
fn a_truncated_stream_is_reported_and_never_healthy() {
    for (codec, ending) in BOTH {
        let bench = Bench::new();
        let name = format!("run.jsonl.{ending}");
        // The frame or member has complete records: only the end of the stream is missing.
        let mut torn = in_two(codec, &lines(&healthy()));
        torn.truncate(torn.len() - 2);
        bench.write(&name, &torn);
        bench
            .run(&["check", &name])
            .exits(1)
            .says("TD001")
            .says("the compressed stream stops in the middle");
        bench.run(&["check", "-q", &name]).exits(1).says("UNREADABLE");
        // With a fragment at the end there is something to repair: the written file is complete,
        // and the journal has the rest. Without one, nothing is written.
        let fragment = codec == Codec::Zstd;
        bench
            .run(&["repair", &name])
            .exits(if fragment { 0 } else { 1 })
            .says("the compressed stream stops");
        assert_eq!(bench.read(&name) != torn, fragment);
        bench.run(&["undo"]).exits(if fragment { 0 } else { 5 });
        assert_eq!(bench.read(&name), torn);
        bench.write("header.jsonl.gz", &torn[..3]);
        bench.run(&["check", "header.jsonl.gz"]).exits(3);
    }
}

#[test]
fn a_fragment_in_a_truncated_stream_is_removed() {
    let bench = Bench::new();
    let whole = packed(Codec::Gzip, &lines(&[&healthy()[..], &healthy()[..]].concat()[..7]));
    let cut = whole.len() - 40;
    bench.write("run.jsonl.gz", &whole[..cut]);
    bench.run(&["repair", "run.jsonl.gz"]).exits(0).says("HEALTHY");
    bench.run(&["check", "run.jsonl.gz"]).exits(0);
    bench.run(&["undo"]).exits(0);
    assert_eq!(bench.read("run.jsonl.gz"), &whole[..cut]);
}

#[test]
fn a_damaged_stream_is_not_written_over() {
    let bench = Bench::new();
    let mut bytes = [packed(Codec::Gzip, &lines(&STUCK)), packed(Codec::Gzip, b"\n")].concat();
    let last = bytes.len() - 6;
    bytes[last] ^= 1;
    bench.write("run.jsonl.gz", &bytes);
    bench.run(&["check", "run.jsonl.gz"]).exits(1).says("the compressed stream is damaged");
    bench.run(&["repair", "run.jsonl.gz"]).exits(4).complains("name a copy");
    assert_eq!(bench.read("run.jsonl.gz"), bytes);
    bench.run(&["repair", "run.jsonl.gz", "-o", "copy.jsonl"]);
    assert_eq!(bench.read("copy.jsonl"), [lines(&healthy()), b"\n".to_vec()].concat());
}

#[test]
fn other_compressed_files_are_skipped() {
    let bench = Bench::new();
    bench.write("logs/notes.gz", packed(Codec::Gzip, b"not ours"));
    bench.write("logs/run.jsonl.zst", packed(Codec::Zstd, &lines(&healthy())));
    bench
        .run(&["check", "logs"])
        .exits(0)
        .says("1 healthy")
        .says("Skipped 1 file that is not a transcript (list: -v).");
    bench.run(&["check", "logs/notes.gz"]).exits(3).says("unknown format");
    assert!(exists(&bench.path("logs/notes.gz")));
}
