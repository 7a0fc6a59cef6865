//! JSON values, one a line, for scripts.

use serde_json::Value;

/// Formats the value as one line.
#[must_use]
pub fn line(value: &Value) -> String {
    format!("{value}\n")
}
