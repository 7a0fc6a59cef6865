//! Conversion between paths and the URIs of files.

use std::path::{Path, PathBuf};

use crate::protocol::types::Uri;

/// Returns the path of a URI; `None` if it does not name a file.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.0.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let hex = |at: usize| after.get(at).and_then(|&digit| (digit as char).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            (_, _, _) => bytes.push(first),
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    // A drive of Windows follows the slash: `/c:/folder`.
    let drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

/// Returns the URI of a file.
pub(crate) fn uri_of(path: &Path) -> Uri {
    let mut uri = String::from("file://");
    let text = path.to_string_lossy().replace('\\', "/");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_round_trip() {
        for path in ["/a/b.star", "/a b/ж%41.star", "/x#y?.star"] {
            assert_eq!(path_of(&uri_of(Path::new(path))), Some(PathBuf::from(path)));
        }
        let encoded = Uri("file:///a%20b.star".to_owned());
        assert_eq!(path_of(&encoded), Some(PathBuf::from("/a b.star")));
        assert_eq!(path_of(&Uri("untitled:Untitled-1".to_owned())), None);
    }
}
