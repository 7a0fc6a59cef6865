//! Random edits of a large module: the server answers every request, positions lie in the text,
//! and the text of the server is that of the client.

use serde_json::{Value, json};

use crate::client::{Client, position};

/// A generator of numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Texts that edits insert.
const PIECES: &[&str] = &[
    "begin ",
    " end",
    ";",
    "(",
    ")",
    "x",
    ":=",
    "while SOME(X) do ",
    "\n",
    "\t",
    "/* ж",
    " */",
    "'01",
    "\"",
    "procedure ",
    "else",
    "😀",
    "@test",
    "COL(i,T)",
    "foreach i in X do",
    "forall i in X where",
    "1",
    "=",
    "import \"star:closure\";",
    "\r\n",
    "{",
    "}",
];

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_edits_never_break_the_server() {
    let (seed, n_edits) = (number("STAR_SEED", 1), number("STAR_EDITS", 60));
    let mut random = Random(seed as u64);
    let mut client = Client::new();
    let module = "cbt";
    let (_, original) = star_stdlib::MODULES.iter().find(|(name, _)| *name == module).unwrap();
    let mut text = (*original).to_owned();
    client.open("a.star", &text.replace('|', "!"));
    text = text.replace('|', "!");
    let uri = client.uri("a.star");
    let mut version = 1_000;
    let mut memory = None;
    for n in 0..n_edits {
        client.received.clear();
        // Caches are full after some edits; from then on memory stays.
        if n == n_edits / 4 {
            memory = resident();
        }
        let boundary = |at: usize, text: &str| (0..=at).rev().find(|at| text.is_char_boundary(*at));
        let start = boundary(random.below(text.len() + 1), &text).unwrap_or(0);
        let length = if random.below(3) == 0 { random.below(30) } else { 0 };
        let end = boundary((start + length).min(text.len()), &text).unwrap_or(start).max(start);
        let piece = PIECES[random.below(PIECES.len())];
        // Often an edit is taken back, so that the text stays nearly correct.
        let before = text.clone();
        let changes = |text: &str, start: usize, end: usize, new: &str| {
            let range = json!({ "start": position(text, start), "end": position(text, end) });
            json!([{ "range": range, "text": new }])
        };
        version += 1;
        client.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version },
                "contentChanges": changes(&text, start, end, piece),
            }),
        );
        text.replace_range(start..end, piece);
        let at = position(&text, boundary(random.below(text.len()), &text).unwrap_or(0));
        let (method, more) = match random.below(8) {
            0 => ("textDocument/completion", json!({})),
            1 => ("textDocument/hover", json!({})),
            2 => ("textDocument/definition", json!({})),
            3 => ("textDocument/signatureHelp", json!({})),
            4 => ("textDocument/documentHighlight", json!({})),
            5 => ("textDocument/prepareRename", json!({})),
            6 => ("textDocument/references", json!({ "context": { "includeDeclaration": true } })),
            _ => (
                "textDocument/onTypeFormatting",
                json!({
                    "ch": "\n", "options": { "tabSize": 2, "insertSpaces": true },
                }),
            ),
        };
        let answer = client.at_with(method, "a.star", &at, more);
        if let Err((code, message)) = &answer {
            assert_eq!(*code, -32803, "edit {n} of seed {seed}: {method}: {message}");
            assert!(!message.contains("internal error"), "edit {n} of seed {seed}: {message}");
        }
        for (method, key) in [
            ("textDocument/documentSymbol", "range"),
            ("textDocument/semanticTokens/full", ""),
            ("textDocument/foldingRange", ""),
        ] {
            if random.below(4) == 0 {
                let found = client.of(method, "a.star");
                ranges_lie_in(&text, &found, key);
            }
        }
        if random.below(4) != 0 {
            version += 1;
            client.notify(
                "textDocument/didChange",
                json!({
                    "textDocument": { "uri": uri, "version": version },
                    "contentChanges": changes(&text, start, start + piece.len(), &before[start..end]),
                }),
            );
            text = before;
        }
    }
    if let (Some(before), Some(after)) = (memory, resident()) {
        let grown = after.saturating_sub(before) >> 20;
        // Without a number of edits, other tests of the process run at the same time.
        let most = if std::env::var_os("STAR_EDITS").is_some() { 100 } else { 200 };
        assert!(grown < most, "{grown} MiB more after {n_edits} edits");
    }
    // The server has the same text: replacing it by the original leaves no trace.
    version += 1;
    client.notify(
        "textDocument/didChange",
        json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": [{ "text": "procedure P; begin end;" }],
        }),
    );
    let symbols = client.of("textDocument/documentSymbol", "a.star");
    assert_eq!(symbols.as_array().unwrap().len(), 1);
    client.close();
}

/// Returns the bytes of memory that the process holds; `None` where the system does not tell.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

fn ranges_lie_in(text: &str, found: &Value, key: &str) {
    let n_lines = text.matches('\n').count() as u64;
    for one in found.as_array().into_iter().flatten() {
        if !key.is_empty() {
            assert!(one[key]["end"]["line"].as_u64().unwrap() <= n_lines, "{one}");
        }
    }
}
