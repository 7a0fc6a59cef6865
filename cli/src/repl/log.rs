//! What was typed and ran, for `:save`.

/// What a line did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Did {
    /// It showed the value of an expression.
    Showed,
    /// It ran statements.
    Ran,
    /// It declared variables, which the session knows.
    Declared,
}

/// The texts that ran, in order.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// The statements of a program that does the same.
    statements: Vec<String>,
}

impl Log {
    /// A line did something.
    pub(crate) fn add(&mut self, text: &str, did: Did) {
        let text = text.trim().trim_end_matches(';');
        match did {
            Did::Showed => self.statements.push(format!("print({text})")),
            Did::Ran => self.statements.push(text.to_owned()),
            Did::Declared => {}
        }
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
