use super::*;

const BOTH: [Codec; 2] = [Codec::Gzip, Codec::Zstd];

fn text(lines: usize) -> Vec<u8> {
    (0..lines)
        .flat_map(|n| {
            format!("{{\"n\":{},\"m\":\"{}\"}}\n", n, n.wrapping_mul(2_654_435_761)).into_bytes()
        })
        .collect()
}

fn packed(codec: Codec, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    codec.pack(&mut &*bytes, &mut out).unwrap();
    out
}

fn file(bytes: &[u8]) -> (File, Stamp) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let stamp = Stamp::of(&file.metadata().unwrap());
    (file, stamp)
}

fn unpacked(codec: Codec, bytes: &[u8]) -> io::Result<(Vec<u8>, StreamEnd)> {
    let (file, stamp) = file(bytes);
    let mut out = unpack(codec, &file, &stamp, false)?;
    let mut got = Vec::new();
    io::Seek::rewind(&mut out.file)?;
    out.file.read_to_end(&mut got)?;
    Ok((got, out.end))
}

#[test]
fn compression_round_trips() {
    for codec in BOTH {
        for lines in [0, 1, 100, 60_000] {
            let bytes = text(lines);
            let small = packed(codec, &bytes);
            assert_eq!(Codec::of_magic(&small), Some(codec));
            assert_eq!(small, packed(codec, &bytes), "no clock in it");
            assert_eq!(
                unpacked(codec, &small).unwrap(),
                (bytes, StreamEnd::Whole),
                "{codec:?} {lines}"
            );
        }
    }
}

#[test]
fn members_and_frames_follow_each_other() {
    for codec in BOTH {
        let mut both = packed(codec, &text(300));
        both.extend(packed(codec, b"last\n"));
        assert_eq!(
            unpacked(codec, &both).unwrap(),
            ([text(300), b"last\n".to_vec()].concat(), StreamEnd::Whole)
        );
        if codec == Codec::Zstd {
            both.splice(0..0, *b"\x52\x2A\x4D\x18\x03\0\0\0abc");
            both.extend(*b"\x50\x2A\x4D\x18\x01\0\0\0z");
            assert_eq!(unpacked(codec, &both).unwrap().1, StreamEnd::Whole);
        } else {
            both.extend([0; 700]);
            assert_eq!(unpacked(codec, &both).unwrap().1, StreamEnd::Whole);
            both.extend(b"rest");
            assert_eq!(unpacked(codec, &both).unwrap().1, StreamEnd::Damaged);
        }
    }
}

#[test]
fn a_truncated_stream_yields_its_complete_part() {
    let bytes = text(60_000);
    for codec in BOTH {
        let small = packed(codec, &bytes);
        for cut in [small.len() / 2, small.len() - 1, small.len() - 5] {
            let (got, end) = unpacked(codec, &small[..cut]).unwrap();
            assert_eq!(end, StreamEnd::Torn, "{codec:?} {cut}");
            assert!(
                bytes.starts_with(&got) && got.len() > bytes.len() / 4,
                "{codec:?} {cut}: {}",
                got.len()
            );
        }
        for cut in 0..small.len().min(14) {
            if let Ok((got, end)) = unpacked(codec, &small[..cut]) {
                assert!(end != StreamEnd::Whole || cut == 0, "{codec:?} {cut} {}", got.len());
            }
        }
    }
}

#[test]
fn every_wrong_byte_is_detected() {
    let bytes = text(200);
    for codec in BOTH {
        let small = packed(codec, &bytes);
        for at in 0..small.len() {
            let mut bad = small.clone();
            bad[at] ^= 0x41;
            // Some bytes of a header do not affect the content.
            if let Ok((got, StreamEnd::Whole)) = unpacked(codec, &bad) {
                assert_eq!(got, bytes, "{codec:?} {at}");
            }
        }
    }
}

#[test]
fn the_limit_is_enforced() {
    for codec in BOTH {
        let (file, stamp) = file(&packed(codec, &vec![b' '; 3 << 20]));
        let error = unpack_up_to(codec, &file, &stamp, false, (3 << 20) - 1).err().unwrap();
        assert!(error.to_string().contains("larger than 2 MiB"), "{error}");
        assert!(unpack_up_to(codec, &file, &stamp, false, 3 << 20).is_ok());
    }
}

#[test]
fn a_sample_is_the_beginning() {
    for codec in BOTH {
        for bytes in [text(60_000), text(10), Vec::new()] {
            let small = packed(codec, &bytes);
            let (file, stamp) = file(&small);
            let (got, end) = sample(codec, &file, &stamp).unwrap();
            assert!(
                got.len() == bytes.len().min(1 << 20) && bytes.starts_with(&got),
                "{codec:?} {}",
                got.len()
            );
            assert_eq!(end, StreamEnd::Whole);
        }
        let small = packed(codec, &text(10));
        let (file, stamp) = file(&small[..small.len() - 1]);
        assert_eq!(sample(codec, &file, &stamp).unwrap().1, StreamEnd::Torn);
    }
}

#[test]
fn the_name_of_a_copy_chooses_its_codec() {
    let of = |source: &str, own, out: &str| codec_of_copy(Path::new(source), own, Path::new(out));
    let gzip = Some(Codec::Gzip);
    assert_eq!(of("a.jsonl.gz", gzip, "b.jsonl.GZ"), gzip);
    assert_eq!(of("a.jsonl.gz", gzip, "b.jsonl"), None);
    assert_eq!(of("a.jsonl.gz", gzip, "b.jsonl.zst"), Some(Codec::Zstd));
    assert_eq!(of("a.jsonl", gzip, "b.jsonl"), gzip, "the name says nothing of it");
    assert_eq!(of("a.jsonl", None, "b.jsonl"), None);
    assert_eq!(of("-", gzip, "b.jsonl"), None);
    assert_eq!(of("-", gzip, "b.jsonl.gz"), gzip);
    assert_eq!(Codec::of_name(".gz"), None);
    assert_eq!(Codec::of_name("é.zst"), Some((Codec::Zstd, "é")));
}
