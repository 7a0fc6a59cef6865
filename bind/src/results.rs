//! Results of a routine: their names, their destinations, and their text.

use star_base::{Code, Diagnostic, did_you_mean, text};
use star_value::display::ShownTable;
use star_value::{Value, display};

use crate::param::{Kind, Param, Signature};
use crate::records::RecordList;

/// A result to be written to a file, `NAME=FILE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultFile<'a> {
    /// Its index, counted from 0 among the `var` parameters.
    pub idx: usize,
    /// A kind that files can represent.
    pub kind: Kind,
    /// The file name as given.
    pub file: &'a str,
}

/// Parses `--out NAME=FILE`.
///
/// # Errors
/// E0606 if no result has that name, or files cannot represent it; E0608 if the syntax is invalid.
pub fn result_file<'a>(
    signature: &Signature,
    option: &'a str,
) -> Result<ResultFile<'a>, Diagnostic> {
    let (name, file) = match option.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => (name, file),
        Some(_) | None => {
            let message = format!("invalid argument of `--out`: `{option}`");
            let help = "write `--out NAME=FILE`, for example `--out P=closure.mtx`";
            return Err(Diagnostic::new(Code::Usage, message).help(help));
        }
    };
    let (idx, param) = result_named(signature, name, "--out")?;
    Ok(ResultFile { idx, kind: param.kind, file })
}

/// Returns the result of this name, given to `option`, and its index among the `var` parameters.
///
/// # Errors
/// E0606 if no result has that name, or files cannot represent it.
pub(crate) fn result_named<'s>(
    signature: &'s Signature,
    name: &str,
    option: &str,
) -> Result<(usize, &'s Param), Diagnostic> {
    let mut vars = signature.results().enumerate();
    match vars.find(|(_, param)| param.name == name) {
        Some((idx, param)) if param.kind.is_data() || is_number(param.kind) => Ok((idx, param)),
        Some((_, param)) => {
            let message = format!("`{name}` is {}", param.kind.with_article());
            let note = "only tables, slices, words, integers and Booleans can be written to files";
            Err(Diagnostic::new(Code::NotAResult, message).note(note))
        }
        None => Err(no_result(signature, name, option)),
    }
}

/// Returns whether a value of this kind is one number.
pub fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::Int | Kind::Bool)
}

fn no_result(signature: &Signature, name: &str, option: &str) -> Diagnostic {
    let names = || {
        let is_written = |param: &&Param| param.kind.is_data() || is_number(param.kind);
        let data = signature.results().filter(is_written);
        data.map(|param| param.name.as_str())
    };
    let message = format!("`{name}` is not a result of `{}`", signature.name);
    let list = text::quoted_list(names());
    let diagnostic = Diagnostic::new(Code::NotAResult, message).note(match list.as_str() {
        "" => "results are `var` parameters; this routine has none that can be written".to_owned(),
        _ => format!("its results are {list}"),
    });
    match did_you_mean(name, names()) {
        Some(meant) => diagnostic.help(format!("did you mean `{option} {meant}=…`?")),
        None => diagnostic,
    }
}

/// Returns the names of the results of a routine, in order; a function's value is the last one.
/// Handles, which are not shown, have none.
pub fn names(signature: &Signature, is_function: bool) -> Vec<Option<&str>> {
    let vars = signature.results();
    let vars = vars.map(|param| (param.kind != Kind::Handle).then_some(param.name.as_str()));
    vars.chain(is_function.then_some(Some(signature.name.as_str()))).collect()
}

/// Returns the text of a result with its name: for a table its sizes and number of ones, then its
/// rows, with the names of their fields if they are records of one of these lists.
pub fn summary(name: &str, value: &Value, lists: &[RecordList]) -> String {
    match value {
        Value::Table(table) => table_summary(name, table, lists),
        Value::Unset
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Slice(_)
        | Value::Word(_) => format!("{name} = {}\n", display::long(display::Shown::from(value))),
    }
}

/// Returns the text of a result that is a table, as [`summary`] does. The table may be an
/// [`Excerpt`](display::Excerpt): one of records if a list has its width.
pub fn table_summary(name: &str, table: &dyn ShownTable, lists: &[RecordList]) -> String {
    if let Some(list) = RecordList::of_param(lists, name, table.n_cols())
        && let Some(lines) = list.lines_of(table)
    {
        let sizes = display::short(display::Shown::Table(table));
        let of = match list.name == name {
            true => String::new(),
            false => format!(" of {}", list.name),
        };
        return format!("{name} = {sizes}, as records{of}\n{lines}");
    }
    let table = display::Shown::Table(table);
    let (shown, sizes) = (display::long(table), display::short(table));
    let rows = shown.strip_suffix(&format!("({sizes})")).unwrap_or(&shown);
    let gap = if rows.is_empty() { "" } else { "\n" };
    format!("{name} = {sizes}{gap}{}\n", rows.trim_end())
}

#[cfg(test)]
mod tests {
    use star_io::{Field, Numbers, Shape};
    use star_value::BitTable;
    use star_value::display::Excerpt;

    use super::*;
    use crate::data::RowFields;
    use crate::param::examples::{signature, value, var};

    fn floyd() -> Signature {
        let params = vec![
            value("h", Kind::Int),
            var("D", Kind::Table),
            var("n", Kind::Int),
            var("X", Kind::Slice),
        ];
        signature("FLOYD", params)
    }

    #[test]
    fn files_accept_only_supported_results() {
        let found = result_file(&floyd(), "X=x.stb").unwrap();
        assert_eq!(found, ResultFile { idx: 2, kind: Kind::Slice, file: "x.stb" });
        assert_eq!(result_file(&floyd(), "n=n.csv").unwrap().kind, Kind::Int);
        for (wrong, code) in [
            ("h=a.mtx", Code::NotAResult),
            ("d=b.mtx", Code::NotAResult),
            ("D", Code::Usage),
            ("D=", Code::Usage),
        ] {
            assert_eq!(result_file(&floyd(), wrong).unwrap_err().code, code, "{wrong}");
        }
        let fault = result_file(&floyd(), "d=b.mtx").unwrap_err();
        assert_eq!(fault.help, ["did you mean `--out D=…`?"]);
    }

    #[test]
    fn tables_begin_on_a_new_line() {
        let table = Value::from(BitTable::parse(&["01", "10"]).unwrap());
        assert_eq!(summary("P", &table, &[]), "P = 2 × 2, 2 ones\n01\n10\n");
        let empty = Value::from(BitTable::zeros(0, 2).unwrap());
        assert_eq!(summary("P", &empty, &[]), "P = 0 × 2, 0 ones\n");
        assert_eq!(summary("n", &Value::Int(3), &[]), "n = 3\n");
        assert_eq!(summary("X", &Value::Unset, &[]), "X = unset\n");
    }

    #[test]
    fn parts_of_a_table_have_the_text_of_the_whole() {
        let field = |name: &str, negative: i64| Field::new(name, None, vec![negative, 3]);
        let fields = vec![field("a", -5), field("b", 0)];
        let numbers = Numbers { shape: Shape::List(2), fields };
        for widths in [[4, 3], [40, 33]] {
            let n_cols = widths.iter().sum();
            let chosen = RowFields { fields: 0..2, widths: widths.to_vec() };
            let value = Value::from(BitTable::zeros(2, n_cols).unwrap());
            let list = RecordList::of("T", &numbers, &value, &chosen).unwrap();
            let lists = [list.called("T")];
            for n_rows in [0, 1, 16, 17, 70] {
                let mut table = BitTable::zeros(n_rows, n_cols).unwrap();
                (0..n_rows).for_each(|row| table.put(row, n_cols - 1 - row % 3, true));
                // Two parts, by columns.
                let parts = [0..2, 2..n_cols].map(|columns| {
                    let start = columns.start;
                    let columns: Vec<_> = columns.map(|col_idx| table.column(col_idx)).collect();
                    let mut part = Excerpt::of_records((n_rows, n_cols));
                    part.add(start, &BitTable::from_columns(n_rows, &columns));
                    part
                });
                let all = parts[0].join(&parts.each_ref().map(Excerpt::to_bytes)).unwrap();
                let found = table_summary("U", &all, &lists);
                let expected = summary("U", &Value::from(table), &lists);
                assert!(expected.contains("as records of T"), "{expected}");
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn the_last_result_of_a_function_is_its_value() {
        assert_eq!(names(&floyd(), true), ["D", "n", "X", "FLOYD"].map(Some));
    }
}
