//! What a run gives back: `--out NAME=FILE`, and the summary on standard output.

use star_base::{Code, Diagnostic, did_you_mean};
use star_bind::{Kind, Signature, encoding};
use star_io::FileError;
use star_vm::{HostValue, display};

use crate::flags::Flags;
use crate::outlet::Outlet;
use crate::output::Output;
use crate::text;

/// An `--out`: which result, counted from 0 among the `var` parameters, goes where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Out {
    result: usize,
    outlet: Outlet,
}

/// Understands the `--out NAME=FILE` of a command line.
///
/// # Errors
/// All of E0606, E0608, E0506, E0507 and E0509 that can be seen before the run.
pub(crate) fn outs(entry: &Signature, options: &[String]) -> Result<Vec<Out>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let mut outs: Vec<Out> = Vec::new();
    for option in options {
        match out(entry, option) {
            Err(fault) => faults.push(fault),
            Ok(new) if outs.iter().any(|out| out.outlet.is(&new.outlet)) => {
                let message = format!("two results for the file `{}`", new.outlet.name());
                faults.push(Diagnostic::new(Code::NotAResult, message));
            }
            Ok(new) => outs.push(new),
        }
    }
    if faults.is_empty() { Ok(outs) } else { Err(faults) }
}

fn out(entry: &Signature, option: &str) -> Result<Out, Diagnostic> {
    let (name, file) = match option.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => (name, file),
        _ => {
            let message = format!("`--out {option}` names no result and file");
            let help = "it is written `--out NAME=FILE`, as in `--out P=closure.mtx`";
            return Err(Diagnostic::new(Code::Usage, message).help(help));
        }
    };
    let vars = || entry.params.iter().filter(|param| param.by_ref);
    let found = vars().enumerate().find(|(_, param)| param.name == name);
    match found {
        Some((result, param)) if param.kind.is_data() => {
            let holds = |format| encoding::holds(param.kind, format);
            let outlet = Outlet::new(file, &holds).map_err(|error| error.to_diagnostic())?;
            Ok(Out { result, outlet })
        }
        Some((_, param)) => {
            let message = format!("`{name}` is {}", param.kind.with_article());
            let note = "only tables, slices and words are written to files";
            Err(Diagnostic::new(Code::NotAResult, message).note(note))
        }
        None => Err(no_result(entry, name)),
    }
}

fn no_result(entry: &Signature, name: &str) -> Diagnostic {
    let names = || {
        let vars = entry.params.iter().filter(|param| param.by_ref);
        vars.filter(|param| param.kind.is_data()).map(|param| param.name.as_str())
    };
    let (message, list) =
        (format!("`{name}` is no result of `{}`", entry.name), text::quoted_list(names()));
    let diagnostic = Diagnostic::new(Code::NotAResult, message).note(match list.as_str() {
        "" => "results are `var` parameters, and it has none that can be written".to_owned(),
        _ => format!("its results are {list}"),
    });
    match did_you_mean(name, names()) {
        Some(meant) => diagnostic.help(format!("did you mean `--out {meant}=…`?")),
        None => diagnostic,
    }
}

/// Does one of them go to standard output?
pub(crate) fn use_stdout(outs: &[Out]) -> bool {
    outs.iter().any(|out| out.outlet.is_stdout())
}

/// Writes all files that can be written, or none if a flag is set meanwhile.
///
/// # Errors
/// Every file that cannot be written; or only that a flag was set meanwhile.
pub(crate) fn save(
    outs: Vec<Out>,
    results: &[HostValue],
    flags: &Flags,
    output: &mut Output,
) -> Result<(), Vec<FileError>> {
    let (mut written, mut faults) = (Vec::new(), Vec::new());
    for Out { result, outlet } in outs {
        let value = results.get(result).unwrap_or(&HostValue::Unset);
        let data = encoding::writable(value, outlet.name());
        match data.and_then(|data| outlet.write(data, flags, output)) {
            Ok((file, _)) => written.extend(file),
            Err(fault) if flags.stop().is_some() => return Err(vec![fault]),
            Err(fault) => faults.push(fault),
        }
    }
    faults.extend(written.into_iter().filter_map(|file| file.commit().err()));
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The names of the results of an entry, in order; a function's value is the last one. Handles, which
/// are not shown, have none.
pub(crate) fn names(entry: &Signature, is_function: bool) -> Vec<Option<&str>> {
    let vars = entry.params.iter().filter(|param| param.by_ref);
    let vars = vars.map(|param| (param.kind != Kind::Handle).then_some(param.name.as_str()));
    vars.chain(is_function.then_some(Some(entry.name.as_str()))).collect()
}

/// Prints the results as `NAME = …`.
pub(crate) fn print(output: &mut Output, names: &[Option<&str>], results: &[HostValue]) {
    let named = names.iter().zip(results).filter_map(|(name, value)| Some(((*name)?, value)));
    for (name, value) in named {
        if !output.write(&summary(name, value)) {
            return;
        }
    }
}

/// A result by its name: a table with its sizes and number of ones, then its rows.
fn summary(name: &str, value: &HostValue) -> String {
    let shown = display::long(display::Shown::from(value));
    match value {
        HostValue::Table(table) => {
            let sizes = display::short(display::Shown::from(value));
            let rows = shown.strip_suffix(&format!("({sizes})")).unwrap_or(&shown);
            let gap = if table.n_rows() > 0 && table.n_cols() > 0 { "\n" } else { "" };
            format!("{name} = {sizes}{gap}{}\n", rows.trim_end())
        }
        HostValue::Unset
        | HostValue::Int(_)
        | HostValue::Bool(_)
        | HostValue::Str(_)
        | HostValue::Slice(_)
        | HostValue::Word(_) => format!("{name} = {shown}\n"),
    }
}

#[cfg(test)]
mod tests {
    use star_base::BitTable;
    use star_bind::Param;

    use super::*;

    fn floyd() -> Signature {
        let param = |name: &str, by_ref, kind| Param {
            name: name.to_owned(),
            by_ref,
            takes_value: true,
            kind,
        };
        let params = vec![
            param("h", false, Kind::Int),
            param("D", true, Kind::Table),
            param("n", true, Kind::Int),
            param("X", true, Kind::Slice),
        ];
        Signature { name: "FLOYD".to_owned(), params }
    }

    fn codes(options: &[&str]) -> Vec<Code> {
        let options: Vec<String> = options.iter().map(|text| (*text).to_owned()).collect();
        match outs(&floyd(), &options) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.iter().map(|fault| fault.code).collect(),
        }
    }

    #[test]
    fn outs_name_tables_slices_and_words_that_are_results() {
        assert_eq!(codes(&["D=d.mtx", "X=x.stb"]), []);
        let wrong = ["h=a.mtx", "d=b.mtx", "n=c.mtx", "D", "X=x.xyz", "X=no/x.stb"];
        let expected = [
            Code::NotAResult,
            Code::NotAResult,
            Code::NotAResult,
            Code::Usage,
            Code::UnknownFormat,
            Code::CannotWrite,
        ];
        assert_eq!(codes(&wrong), expected);
        assert_eq!(codes(&["D=d.mtx", "X=./d.mtx"]), [Code::NotAResult]);
        let fault = outs(&floyd(), &["d=b.mtx".to_owned()]).unwrap_err();
        assert_eq!(fault[0].help, ["did you mean `--out D=…`?"]);
    }

    #[test]
    fn formats_that_hold_no_such_result_are_refused_before_the_run() {
        assert_eq!(codes(&["D=d.jpg", "X=x.gr"]), [Code::NoSuchLayout; 2]);
        assert_eq!(codes(&["D=jpg:-", "X=gr:-"]), [Code::NoSuchLayout; 2]);
        assert_eq!(codes(&["D=gr:-", "X=x.stb"]), []);
        assert_eq!(codes(&["D=gr:-", "X=stb:-"]), [Code::NotAResult]);
    }

    #[test]
    fn tables_begin_on_a_line_of_their_own() {
        let table = HostValue::Table(BitTable::parse(&["01", "10"]).unwrap());
        assert_eq!(summary("P", &table), "P = 2 × 2, 2 ones\n01\n10\n");
        let empty = HostValue::Table(BitTable::zeros(0, 2).unwrap());
        assert_eq!(summary("P", &empty), "P = 0 × 2, 0 ones\n");
        assert_eq!(summary("n", &HostValue::Int(3)), "n = 3\n");
        assert_eq!(summary("X", &HostValue::Unset), "X = unset\n");
    }

    #[test]
    fn a_function_is_its_own_last_result() {
        assert_eq!(names(&floyd(), true), ["D", "n", "X", "FLOYD"].map(Some));
    }
}
