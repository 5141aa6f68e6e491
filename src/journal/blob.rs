//! Bytes and paths in JSON.

use crate::bytes::checksum::decode_hex;
use crate::bytes::replace::{ExtendedAttribute, Location};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::path::{Path, PathBuf};

/// Bytes in JSON: a string if they are UTF-8, else `{"hex":"…"}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob(pub Vec<u8>);

#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrHex {
    Text(String),
    Hex { hex: String },
}

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Hex {
            hex: String,
        }
        match str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => Hex { hex: self.0.iter().map(|byte| format!("{byte:02x}")).collect() }
                .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match TextOrHex::deserialize(deserializer)? {
            TextOrHex::Text(text) => Ok(Self(text.into_bytes())),
            TextOrHex::Hex { hex } => {
                decode_hex(&hex).map(Self).ok_or_else(|| de::Error::custom("not hex digits"))
            }
        }
    }
}

/// A path in JSON; for `#[serde(with)]`.
pub(crate) mod path {
    use super::*;

    #[cfg(unix)]
    fn bytes(path: &Path) -> Vec<u8> {
        std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
    }

    #[cfg(unix)]
    fn back(bytes: Vec<u8>) -> PathBuf {
        PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes))
    }

    #[cfg(not(unix))]
    fn bytes(path: &Path) -> Vec<u8> {
        path.to_string_lossy().into_owned().into_bytes()
    }

    #[cfg(not(unix))]
    fn back(bytes: Vec<u8>) -> PathBuf {
        PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        Blob(bytes(path)).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        Blob::deserialize(deserializer).map(|blob| back(blob.0))
    }
}

/// A location in JSON; for `#[serde(with)]`.
pub(super) mod place {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct WrittenPlace {
        #[serde(with = "super::path")]
        path: PathBuf,
        folder: bool,
    }

    pub(in crate::journal) fn serialize<S: Serializer>(
        place: &Location,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        WrittenPlace { path: place.path.clone(), folder: place.folder }.serialize(serializer)
    }

    pub(in crate::journal) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Location, D::Error> {
        WrittenPlace::deserialize(deserializer)
            .map(|place| Location { path: place.path, folder: place.folder })
    }
}

/// Extended attributes in JSON; for `#[serde(with)]`.
pub(super) mod extended {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct WrittenAttribute {
        name: Blob,
        value: Blob,
    }

    pub(in crate::journal) fn serialize<S: Serializer>(
        list: &[ExtendedAttribute],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(list.iter().map(|one| WrittenAttribute {
            name: Blob(one.name.clone()),
            value: Blob(one.value.clone()),
        }))
    }

    pub(in crate::journal) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<ExtendedAttribute>, D::Error> {
        let written = Vec::<WrittenAttribute>::deserialize(deserializer)?.into_iter();
        Ok(written.map(|one| ExtendedAttribute { name: one.name.0, value: one.value.0 }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_survive() {
        for bytes in [
            &b""[..],
            b"text\n\"\\",
            "\u{2028}\u{1f600}".as_bytes(),
            b"\xff\x00\xfe",
            b"{\"hex\":\"00\"}",
        ] {
            let json = serde_json::to_string(&Blob(bytes.to_vec())).unwrap();
            assert_eq!(serde_json::from_str::<Blob>(&json).unwrap().0, bytes, "{json}");
        }
        assert_eq!(serde_json::to_string(&Blob(b"\xffa".to_vec())).unwrap(), r#"{"hex":"ff61"}"#);
        assert!(serde_json::from_str::<Blob>(r#"{"hex":"f"}"#).is_err());
    }
}
