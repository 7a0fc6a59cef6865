//! The Language Server Protocol: its types and messages. The crates that define them are named only
//! here.

pub use gen_lsp_types as types;
pub use lsp_server as wire;

use serde::Serialize;
use serde_json::Value;

/// Converts an answer to JSON. The types of the protocol always convert.
pub(crate) fn to_json(answer: impl Serialize) -> Value {
    serde_json::to_value(answer).unwrap_or(Value::Null)
}

/// Creates a notification of the server.
pub(crate) fn notification(method: &str, params: impl Serialize) -> wire::Message {
    let params = to_json(params);
    wire::Message::Notification(wire::Notification { method: method.to_owned(), params })
}

/// Creates Markdown.
pub(crate) fn markdown(value: String) -> types::MarkupContent {
    types::MarkupContent { kind: types::MarkupKind::Markdown, value }
}
