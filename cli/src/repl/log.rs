//! What was typed and ran, for `:save`.

/// The texts that ran, in order.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// The statements of a program that does the same.
    statements: Vec<String>,
}

impl Log {
    /// A line ran; an expression shows its value.
    pub(crate) fn ran(&mut self, text: &str, shows: bool) {
        let text = text.trim().trim_end_matches(';');
        self.statements.push(match shows {
            true => format!("print({text})"),
            false => text.to_owned(),
        });
    }

    /// The statements so far.
    pub(crate) fn statements(&self) -> &[String] {
        &self.statements
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.statements.clear();
    }
}
