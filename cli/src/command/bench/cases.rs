//! The rows of a benchmark header: its cases, their parameters, and published times.

use std::collections::BTreeSet;

use star_base::{Code, Span};
use star_compiler::Compilation;
use star_harness::{Case, Header, Purpose};
use star_report::record::{Parameter, Parameters, Row, RowError, Source, Time, is_time};

/// Creates a row without measurements.
pub(super) fn blank(file: &str, title: &str) -> Row {
    Row {
        source: Source::Star,
        file: file.to_owned(),
        title: title.to_owned(),
        routine: None,
        parameters: Parameters::new(),
        size: None,
        backend: None,
        intrinsics: None,
        variant: None,
        name: None,
        version: None,
        conditions: None,
        time: None,
        input_s: None,
        load_s: None,
        device_s: None,
        operations: None,
        intrinsic_calls: None,
        peak_bytes: None,
        hash: None,
        error: None,
    }
}

/// Returns the title of a header in a file called `name`: its title, or its line. The line is
/// appended to the title of another header, but not to that of the same header with another
/// routine.
pub(super) fn title(
    header: &Header,
    others: &[(String, Span)],
    compilation: &Compilation,
    name: &str,
) -> String {
    let line = || {
        let source = compilation.sources.get(header.span.file);
        source.map_or(0, |source| source.line_column(header.span.start as usize).line)
    };
    let title = match header.title.as_str() {
        "" => format!("{name}, line {}", line()),
        title => title.to_owned(),
    };
    let is_taken = others.iter().any(|(other, span)| *other == title && *span != header.span);
    if is_taken { format!("{title} (line {})", line()) } else { title }
}

/// Returns the parameters that distinguish a case and that a peer needs: all integers, and
/// everything that is swept. `data` are the names of bits, which are texts.
pub(super) fn parameters(case: &Case, data: &BTreeSet<String>) -> Parameters {
    let known = case.given.iter().filter_map(|given| {
        let is_data = data.contains(&given.name);
        let value = match given.text.parse() {
            Ok(number) if !is_data => Parameter::Int(number),
            Ok(_) | Err(_) if given.swept => Parameter::Text(given.text.clone()),
            Ok(_) | Err(_) => return None,
        };
        Some((given.name.clone(), value))
    });
    known.collect()
}

/// Returns the parameter for the axis of plots: the first integer that is swept, or else `n`.
/// `data` are the names of bits.
pub(super) fn size(header: &Header, cases: &[Case], data: &BTreeSet<String>) -> Option<String> {
    let is_int =
        |name: &str| !data.contains(name) && cases.iter().all(|case| case.integer(name).is_some());
    let definitions = header.definitions_for(Purpose::Benchmark);
    let swept = definitions.iter().filter(|definition| definition.is_swept());
    let mut swept = swept.map(|definition| definition.name.text.as_str());
    let found = swept.find(|name| is_int(name));
    let n = || definitions.iter().map(|it| it.name.text.as_str()).find(|name| *name == "n");
    found.or_else(|| n().filter(|name| is_int(name))).map(str::to_owned)
}

/// Returns the published times of a header. A time measured with the variables of a case gets that
/// case's parameters, so that both are shown together.
pub(super) fn published(
    header: &Header,
    blank: &Row,
    cases: &[Case],
    data: &BTreeSet<String>,
) -> Vec<Row> {
    let rows = header.published.iter().map(|figure| {
        let is_at =
            |case: &&Case| figure.at.iter().all(|(name, value)| case.integer(name) == Some(*value));
        let parameters = match cases.iter().find(is_at) {
            Some(case) => parameters(case, data),
            None => {
                let at = figure.at.iter();
                at.map(|(name, value)| (name.clone(), Parameter::Int(*value))).collect()
            }
        };
        let size = blank.size.clone().filter(|size| parameters.contains_key(size));
        let is_time = is_time(figure.seconds);
        let no_time = || RowError {
            code: Code::BadHeader.as_str().to_owned(),
            message: format!("invalid published time: {:e} s", figure.seconds),
        };
        Row {
            source: Source::Published,
            parameters,
            size,
            conditions: Some(figure.conditions.clone()),
            time: is_time.then(|| Time { median_s: figure.seconds, ..Time::default() }),
            error: (!is_time).then(no_time),
            ..blank.clone()
        }
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use star_base::FileId;

    use super::*;

    fn header(text: &str) -> (Header, Vec<Case>) {
        let text = format!("/* @bench t\n{text} */");
        let file = FileId(0);
        let (mut headers, faults) =
            star_harness::headers(file, &text, &star_syntax::parse(file, &text));
        assert_eq!(faults, []);
        let header = headers.remove(0);
        let cases = header.cases(Purpose::Benchmark).unwrap();
        (header, cases)
    }

    #[test]
    fn parameters_are_integers_and_swept_variables() {
        let (header, cases) =
            header("  k = a, b\n  n = 5, 6\n  m = {2*n}\n  P = gen gnm -n {n} -m {m}");
        let parameters = parameters(&cases[1], &BTreeSet::new());
        let shown: Vec<String> = parameters.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(shown, ["k=a", "m=12", "n=6"]);
        assert_eq!(size(&header, &cases, &BTreeSet::new()).as_deref(), Some("n"));
    }

    #[test]
    fn bits_are_no_integers() {
        let (header, cases) = header("  w = 0110, 1001\n  v = 11\n  n = 3");
        let data = BTreeSet::from(["w".to_owned(), "v".to_owned()]);
        let parameters = parameters(&cases[1], &data);
        let shown: Vec<String> = parameters.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(shown, ["n=3", "w=1001"]);
        assert_eq!(size(&header, &cases, &data).as_deref(), Some("n"));
    }

    #[test]
    fn headers_without_integers_have_no_size() {
        let (header, cases) = self::header("  P = a.mtx");
        assert_eq!(size(&header, &cases, &BTreeSet::new()), None);
        let (header, cases) = self::header("  m = 3\n  n = 7");
        assert_eq!(size(&header, &cases, &BTreeSet::new()).as_deref(), Some("n"));
    }

    #[test]
    fn published_times_are_next_to_their_case() {
        let (header, cases) = header(
            "  n = 5, 6\n  m = {2*n}\n  published n=6: 3 ms \"K40\"\n  published n=9: 1 s \"K40\"",
        );
        let mut blank = blank("f", "t");
        blank.size = Some("n".to_owned());
        let rows = published(&header, &blank, &cases, &BTreeSet::new());
        let texts: Vec<String> = rows.iter().map(Row::parameters_text).collect();
        assert_eq!(texts, ["n=6 m=12", "n=9"]);
        assert_eq!(rows[0].runner(), "K40");
        assert_eq!(rows[0].time.as_ref().unwrap().median_s, 3e-3);
        let (header, cases) = self::header("  n = 5\n  published n=5: 1e300 s \"K40\"");
        let rows = published(&header, &blank, &cases, &BTreeSet::new());
        let error = rows[0].error.as_ref().unwrap();
        assert_eq!((rows[0].time.is_none(), error.code.as_str()), (true, "E0703"));
    }
}
