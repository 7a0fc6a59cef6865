//! Cases of a header: every combination of the values of its lists, smallest first.
//!
//! The first list varies slowest. Lists of integers are sorted in ascending order without
//! duplicates.

use star_base::{Code, Diagnostic, Span};

use crate::header::{Definition, Header, HeaderKind, Values};
use crate::template::Template;

/// Maximum number of cases of one header.
pub const MAX_CASES: usize = 10_000;

/// Purpose of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// For tests: the values of `bench` lines are ignored.
    Test,
    /// For benchmarks: the values of `bench` lines replace the others.
    Benchmark,
}

/// One combination of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// All names in order.
    pub given: Vec<Binding>,
}

/// A name with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The name.
    pub name: String,
    /// The value in the form that `star run` accepts.
    pub text: String,
    /// Is it one of several values?
    pub swept: bool,
    /// The location of the value in the header.
    pub span: Span,
}

impl Case {
    /// Returns the integer value of a name.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.given.iter().find(|given| given.name == name)?.text.parse().ok()
    }

    /// Returns a label that distinguishes it from the other cases: `n=63 seed=2`; empty if there is
    /// only one.
    pub fn label(&self) -> String {
        let swept = self.given.iter().filter(|given| given.swept);
        let parts: Vec<String> =
            swept.map(|given| format!("{}={}", given.name, given.text)).collect();
        parts.join(" ")
    }

    /// Expands a template with the names of this case.
    ///
    /// # Errors
    /// That of an expression in it.
    pub fn text(&self, template: &Template) -> Result<String, Diagnostic> {
        template.text(&|name| self.integer(name))
    }
}

impl Header {
    /// Returns its definitions for a purpose, in order: a `bench` line replaces the definition of
    /// the same name.
    pub fn definitions_for(&self, purpose: Purpose) -> Vec<&Definition> {
        let bench: &[Definition] = match (purpose, self.kind) {
            (Purpose::Benchmark, HeaderKind::Test) => &self.bench,
            (Purpose::Benchmark, HeaderKind::Bench) | (Purpose::Test, _) => &[],
        };
        let mut placed: Vec<(u32, &Definition)> = Vec::new();
        for definition in &self.definitions {
            let other = bench.iter().find(|other| other.name.text == definition.name.text);
            placed.push((definition.span.start, other.unwrap_or(definition)));
        }
        let is_new =
            |new: &&Definition| self.definitions.iter().all(|old| old.name.text != new.name.text);
        placed.extend(bench.iter().filter(is_new).map(|new| (new.span.start, new)));
        placed.sort_by_key(|(at, _)| *at);
        placed.into_iter().map(|(_, definition)| definition).collect()
    }

    /// Returns the header with one value for a name, if the name is defined for that purpose.
    #[must_use]
    pub fn with_value(&self, name: &str, value: u64) -> Header {
        let mut header = self.clone();
        for definition in header.definitions.iter_mut().chain(&mut header.bench) {
            if definition.name.text == name {
                let template = Template::plain(value.to_string(), definition.span);
                definition.values = vec![Values::One(template)];
            }
        }
        header
    }

    /// Returns all combinations of its values, smallest first; one case without names if it defines
    /// none.
    ///
    /// # Errors
    /// E0703 if an expression cannot be evaluated, a range is empty, or there are more than
    /// [`MAX_CASES`].
    pub fn cases(&self, purpose: Purpose) -> Result<Vec<Case>, Diagnostic> {
        let mut cases = vec![Case::default()];
        for definition in self.definitions_for(purpose) {
            let mut next = Vec::new();
            for case in &cases {
                for text in texts(definition, case)? {
                    if next.len() >= MAX_CASES {
                        return Err(too_many(definition));
                    }
                    let mut longer = case.clone();
                    longer.given.push(Binding {
                        name: definition.name.text.clone(),
                        text,
                        swept: definition.is_swept(),
                        span: definition.span,
                    });
                    next.push(longer);
                }
            }
            cases = next;
        }
        Ok(cases)
    }
}

/// Returns the values of a definition, where earlier names have their values in `case`.
fn texts(definition: &Definition, case: &Case) -> Result<Vec<String>, Diagnostic> {
    let mut texts = Vec::new();
    for values in &definition.values {
        match values {
            Values::One(template) => texts.push(case.text(template)?),
            Values::Range { from, to, span } => {
                let end = |template: &Template| {
                    let text = case.text(template)?;
                    text.parse::<i64>().map_err(|_| {
                        Diagnostic::at(
                            Code::BadHeader,
                            template.span,
                            "the value does not fit in 64 bits",
                        )
                    })
                };
                let (from, to) = (end(from)?, end(to)?);
                if from > to {
                    let message = format!("the range {from}..{to} is empty");
                    return Err(Diagnostic::at(Code::BadHeader, *span, message)
                        .help("the lower bound comes first"));
                }
                if to.abs_diff(from) >= MAX_CASES as u64 {
                    return Err(too_many(definition));
                }
                texts.extend((from..=to).map(|number| number.to_string()));
            }
        }
    }
    let numbers: Option<Vec<i64>> = texts.iter().map(|text| integer(text)).collect();
    if let Some(mut numbers) = numbers
        && numbers.len() > 1
    {
        numbers.sort_unstable();
        numbers.dedup();
        texts = numbers.iter().map(i64::to_string).collect();
    }
    Ok(texts)
}

/// Parses an integer in canonical form; `007` is a text of bits or digits.
fn integer(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

fn too_many(definition: &Definition) -> Diagnostic {
    let message = format!("more than {MAX_CASES} cases");
    Diagnostic::at(Code::BadHeader, definition.span, message)
        .note("every combination of the values of all lists is one case")
        .help("use fewer values")
}

#[cfg(test)]
mod tests {
    use star_base::FileId;

    use super::*;
    use crate::headers;

    fn header(body: &str) -> Header {
        let text = format!("/* @test t\n{body} */");
        let parsed = star_syntax::parse(FileId(0), &text);
        let (headers, faults) = headers(FileId(0), &text, &parsed);
        assert_eq!(faults, []);
        headers.into_iter().next().unwrap()
    }

    fn labels(body: &str, purpose: Purpose) -> Vec<String> {
        let cases = header(body).cases(purpose).unwrap();
        cases.iter().map(Case::label).collect()
    }

    fn fault(body: &str) -> String {
        header(body).cases(Purpose::Test).unwrap_err().message
    }

    #[test]
    fn every_combination_is_a_case_smallest_first() {
        let body = "  n = 5, 0..2, 1\n  seed = 1, 2\n  m = {3*n div 2}";
        let cases = header(body).cases(Purpose::Test).unwrap();
        assert_eq!(cases.len(), 8);
        assert_eq!(cases[0].label(), "n=0 seed=1");
        assert_eq!(cases[7].label(), "n=5 seed=2");
        assert_eq!(cases[7].integer("m"), Some(7));
        assert_eq!(labels("  b = 010, 1, 01", Purpose::Test), ["b=010", "b=1", "b=01"]);
        assert_eq!(
            labels("  n = 1..2\n  s = 1..{n}", Purpose::Test),
            ["n=1 s=1", "n=2 s=1", "n=2 s=2"]
        );
        assert_eq!(labels("", Purpose::Test), [""]);
    }

    #[test]
    fn bench_lines_replace_others() {
        let body = "  n = 1..3\n  m = {n+1}\n  bench n = 500\n  bench p = 7, 8\n  q = {p}";
        assert_eq!(labels("  n = 1..3\n  bench n = 500, 600", Purpose::Test).len(), 3);
        let cases = header(body).cases(Purpose::Benchmark).unwrap();
        let shown: Vec<Vec<String>> = cases
            .iter()
            .map(|case| case.given.iter().map(|it| format!("{}={}", it.name, it.text)).collect())
            .collect();
        assert_eq!(shown[0], ["n=500", "m=501", "p=7", "q=7"]);
        assert_eq!(shown.len(), 2);
    }

    #[test]
    fn cases_and_values_are_limited() {
        assert_eq!(fault("  n = 1..1000\n  m = 1..11"), "more than 10000 cases");
        assert_eq!(fault("  n = 1..1000000000000"), "more than 10000 cases");
        assert_eq!(fault("  n = 3..1"), "the range 3..1 is empty");
        assert_eq!(fault("  n = 1..99999999999999999999"), "the value does not fit in 64 bits");
        assert_eq!(
            fault("  n = 0, 1\n  m = {5 div n}"),
            "this overflows 64 bits or divides by zero"
        );
        assert_eq!(fault("  m = {n}\n  n = 1"), "`n` has no integer value here");
    }
}
