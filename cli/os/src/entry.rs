//! Selection of the routine to run.

use star_base::text;
use star_base::{Code, Diagnostic, did_you_mean};
use star_bind::{Param, Signature};
use star_compiler::{Entry, EntryParam};
use star_syntax::ast::RoutineKind;

use crate::failure::internal;

/// Maximum number of routines listed in a message.
const MAX_LISTED: usize = 20;

/// Returns the routine to run: the one named by `--proc`, else the program, else the only routine.
///
/// # Errors
/// E0601 if there is none, E0602 if there are several or none has that name.
pub fn choose<'e>(
    entries: &'e [Entry],
    proc: Option<&str>,
    file: &str,
) -> Result<&'e Entry, Diagnostic> {
    if entries.is_empty() {
        let message = format!("`{file}` has no routine to run");
        let help = "write a `program`, or a `procedure` with its inputs as parameters";
        return Err(Diagnostic::new(Code::NothingToRun, message).help(help));
    }
    if let Some(proc) = proc {
        return find(entries, proc, file);
    }
    let program = entries.iter().find(|entry| entry.kind == RoutineKind::Program);
    match (program, entries) {
        (Some(program), _) => Ok(program),
        (None, [only]) => Ok(only),
        (None, several) => {
            let n = several.len();
            let message = format!("ambiguous routine: `{file}` has {n} routines and no `program`");
            Err(list(Diagnostic::new(Code::WhichRoutine, message), several, file))
        }
    }
}

/// Returns the signature used to bind values to the routine.
///
/// # Errors
/// An internal error if a parameter has no type: the compiler returns no entry that has errors.
pub fn signature(entry: &Entry) -> Result<Signature, Diagnostic> {
    let params = entry.params.iter().map(|param| {
        let EntryParam { name, by_ref, takes_value, kind, fields, text } = param;
        let kind = kind
            .known()
            .ok_or_else(|| internal(&format!("`{name}` of `{}` has no type", entry.name)))?;
        let (by_ref, takes_value) = (*by_ref, *takes_value);
        let (name, fields, text) = (name.clone(), fields.clone(), text.clone());
        Ok(Param { name, by_ref, takes_value, kind, fields, text })
    });
    Ok(Signature { name: entry.name.clone(), params: params.collect::<Result<_, Diagnostic>>()? })
}

/// Finds an exact match, or else the only match that ignores letter case. Blanks around hyphens are
/// ignored.
fn find<'e>(entries: &'e [Entry], proc: &str, file: &str) -> Result<&'e Entry, Diagnostic> {
    let wanted: String = proc.split_whitespace().collect();
    if let Some(entry) = entries.iter().find(|entry| entry.name == wanted) {
        return Ok(entry);
    }
    let lower = wanted.to_lowercase();
    let alike: Vec<&Entry> =
        entries.iter().filter(|entry| entry.name.to_lowercase() == lower).collect();
    match alike.as_slice() {
        [only] => Ok(only),
        [] => {
            let message = format!("`{file}` has no routine `{}`", text::one_line(proc));
            let mut diagnostic = Diagnostic::new(Code::WhichRoutine, message);
            let names = entries.iter().map(|entry| entry.name.as_str());
            if let Some(meant) = did_you_mean(&wanted, names) {
                diagnostic = diagnostic.help(format!("did you mean `--proc {meant}`?"));
            }
            Err(list(diagnostic, entries, file))
        }
        several => {
            let names = text::quoted_list(several.iter().map(|entry| &entry.name));
            let message =
                format!("ambiguous name in `--proc {}`: it matches {names}", text::one_line(proc));
            let help = "use the letter case of the program";
            Err(Diagnostic::new(Code::WhichRoutine, message).help(help))
        }
    }
}

fn list(mut diagnostic: Diagnostic, entries: &[Entry], file: &str) -> Diagnostic {
    let commands: Vec<String> = entries
        .iter()
        .take(MAX_LISTED)
        .map(|entry| format!("  {}", command(entry, file)))
        .collect();
    diagnostic = diagnostic.help(format!("use one of\n{}", commands.join("\n")));
    if entries.len() > MAX_LISTED {
        let rest = entries.len() - MAX_LISTED;
        diagnostic = diagnostic.note(format!("{} are not shown", text::count(rest, "routine")));
    }
    diagnostic
}

/// Returns the command that runs this routine, with its value parameters.
fn command(entry: &Entry, file: &str) -> String {
    let mut command = format!("star run {}", text::shell_word(file));
    command += &format!(" --proc {}", entry.name);
    for param in entry.params.iter().filter(|param| !param.by_ref && param.text.is_none()) {
        command += &format!(" {}=…", param.name);
    }
    command
}

#[cfg(test)]
mod tests {
    use star_base::{FileId, Span};
    use star_compiler::hir::{self, RoutineId};

    use super::*;

    /// Returns a procedure with these value parameters, all integers.
    fn entry(name: &str, params: &[&str]) -> Entry {
        let params = params.iter().map(|name| EntryParam {
            name: (*name).to_owned(),
            by_ref: false,
            takes_value: true,
            kind: hir::TyKind::Int,
            fields: Vec::new(),
            text: None,
        });
        Entry {
            id: RoutineId(0),
            name: name.to_owned(),
            kind: RoutineKind::Procedure,
            span: Span::file_start(FileId(0)),
            params: params.collect(),
        }
    }

    #[test]
    fn runs_the_program_or_the_only_routine() {
        let mut entries = vec![entry("A", &[])];
        assert_eq!(choose(&entries, None, "f").unwrap().name, "A");
        entries.push(entry("B", &["n"]));
        let which = choose(&entries, None, "my f").err().unwrap();
        assert_eq!(which.code, Code::WhichRoutine);
        assert!(which.help[0].contains("\n  star run 'my f' --proc B n=…"), "{which:?}");
        entries[1].kind = RoutineKind::Program;
        assert_eq!(choose(&entries, None, "f").unwrap().name, "B");
        let none = choose(&[], Some("A"), "f").err().unwrap();
        assert_eq!(none.code, Code::NothingToRun);
    }

    #[test]
    fn exact_names_win_over_other_letter_case() {
        let names = ["WARSHALL-C", "warshall-c", "Floyd"];
        let entries: Vec<Entry> = names.iter().map(|name| entry(name, &[])).collect();
        let find = |name| choose(&entries, Some(name), "f").map(|entry| entry.name.as_str());
        assert_eq!(find("WARSHALL - C").ok(), Some("WARSHALL-C"));
        assert_eq!(find("floyd").ok(), Some("Floyd"));
        let ambiguous = find("Warshall-C").unwrap_err().message;
        assert!(ambiguous.ends_with("it matches `WARSHALL-C`, `warshall-c`"), "{ambiguous}");
        let unknown = find("Flody").unwrap_err();
        assert_eq!(unknown.help[0], "did you mean `--proc Floyd`?");
    }
}
