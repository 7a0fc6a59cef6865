//! Values as JSON, one on a line, for scripts.

use serde_json::Value;

/// The value on a line of its own.
#[must_use]
pub fn line(value: &Value) -> String {
    format!("{value}\n")
}
