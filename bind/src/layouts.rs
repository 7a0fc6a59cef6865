//! Layout names of the command line and of programs: for graphs and for numbers.

use std::fmt;

use star_base::{Code, Diagnostic, did_you_mean};
use star_io::{Format, Layout, NumberLayout};

use star_base::text;

/// A layout of any data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyLayout {
    /// Of a graph.
    Graph(Layout),
    /// Of numbers.
    Numbers(NumberLayout),
    /// Of an update stream: a row for each line, with adjacent operation, two vertices and weight.
    Updates,
}

/// The name of [`AnyLayout::Updates`].
const UPDATES: &str = "updates";

impl AnyLayout {
    /// Returns the layout with this name.
    ///
    /// # Errors
    /// E0507 with a suggestion.
    pub fn parse(name: &str) -> Result<Self, Diagnostic> {
        if name == UPDATES {
            return Ok(AnyLayout::Updates);
        }
        let graph = Layout::parse(name).map(AnyLayout::Graph);
        let found = graph.or_else(|| NumberLayout::parse(name).map(AnyLayout::Numbers));
        found.ok_or_else(|| no_layout(name))
    }

    /// Splits `LAYOUT:FILE`. `None` if there is no layout before the first colon.
    pub fn split(text: &str) -> Option<(Self, &str)> {
        let (name, path) = text.split_once(':')?;
        if name == "codes" || name == Layout::Code.name() && path.contains(['=', ':']) {
            // Codes of texts in a field of numbers. A value may contain colons, for example a time.
            let (layout, path) = text.rsplit_once(':')?;
            return Some((AnyLayout::Numbers(NumberLayout::parse(layout)?), path));
        }
        if name == "field" {
            let (field, path) = path.split_once(':')?;
            let layout = NumberLayout::parse(&format!("field:{field}"))?;
            return Some((AnyLayout::Numbers(layout), path));
        }
        Some((AnyLayout::parse(name).ok()?, path))
    }

    /// Returns the kind of data that it applies to.
    pub fn of_what(&self) -> &'static str {
        match self {
            AnyLayout::Graph(_) => "graphs",
            AnyLayout::Numbers(_) => "numbers",
            AnyLayout::Updates => "update streams",
        }
    }

    /// Returns the only format of files with this layout, if there is only one.
    pub fn format(&self) -> Option<Format> {
        match self {
            AnyLayout::Graph(_) | AnyLayout::Numbers(_) => None,
            AnyLayout::Updates => Some(Format::Updates),
        }
    }
}

impl fmt::Display for AnyLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyLayout::Graph(layout) => f.write_str(layout.name()),
            AnyLayout::Numbers(layout) => layout.fmt(f),
            AnyLayout::Updates => f.write_str(UPDATES),
        }
    }
}

/// Returns the names of the layouts of graphs.
pub fn graph_names() -> impl Iterator<Item = &'static str> {
    Layout::ALL.iter().map(|layout| layout.name())
}

/// Returns the names of the layouts of numbers.
pub fn number_names() -> impl Iterator<Item = &'static str> {
    NumberLayout::NAMES.iter().map(|(name, _)| *name)
}

/// Returns the message that a layout is unknown.
pub fn no_layout(name: &str) -> Diagnostic {
    let message = format!("unknown layout `{}`", text::one_line(name));
    let diagnostic = Diagnostic::new(Code::NoSuchLayout, message)
        .note(format!("the layouts of graphs are {}", text::quoted_list(graph_names())))
        .note(format!("the layouts of numbers are {}", text::quoted_list(number_names())))
        .note(format!("the layout of update streams is `{UPDATES}`"));
    match did_you_mean(name, graph_names().chain(number_names()).chain([UPDATES])) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_field_follows_a_second_colon() {
        let split = |text| AnyLayout::split(text).map(|(layout, path)| (layout.to_string(), path));
        assert_eq!(split("field:red:a.png"), Some(("field:red".to_owned(), "a.png")));
        assert_eq!(split("field:red:a:b"), Some(("field:red".to_owned(), "a:b")));
        assert_eq!(split("records:a.csv"), Some(("records".to_owned(), "a.csv")));
        assert_eq!(split("code:t=12:30:a.csv"), Some(("code:t=12:30".to_owned(), "a.csv")));
        assert_eq!(split("codes:t=12:30|X*:a.csv"), Some(("codes:t=12:30|X*".to_owned(), "a.csv")));
        assert_eq!(split("codes:t:a.csv"), None);
        assert_eq!((split("code:t:a.csv"), split("code:t=5")), (None, None));
        assert_eq!(split("code:road.gr"), Some(("code".to_owned(), "road.gr")));
        assert_eq!(split("arcs:a.gr"), Some(("arcs".to_owned(), "a.gr")));
        assert_eq!(split("updates:a.txt"), Some(("updates".to_owned(), "a.txt")));
        assert_eq!(split("field:a.png"), None);
        assert_eq!(split("field::a.png"), None);
        assert_eq!(AnyLayout::parse("field:x y").unwrap().to_string(), "field:x y");
        assert_eq!(AnyLayout::parse("recods").unwrap_err().help, ["did you mean `records`?"]);
        assert_eq!(AnyLayout::parse("update").unwrap_err().help, ["did you mean `updates`?"]);
    }
}
