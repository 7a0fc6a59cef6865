//! The first lines of an edge list: its separator, its header, and the columns of vertices and
//! weights.

use star_base::Code;

use crate::data::EdgeColumns;
use crate::error::{Fault, FileError};
use crate::format::{SEPARATOR_FOR_EXCEL, states_separator, weights};
use crate::options::EdgeFields;
use crate::registry::Format;
use crate::source::Source;
use crate::text;

/// Names of the columns of both ends, in any letter case and without blanks, `_` and `-`.
const ENDS: [(&str, &str); 12] = [
    ("from", "to"),
    ("source", "target"),
    ("src", "dst"),
    ("tail", "head"),
    ("u", "v"),
    ("start", "end"),
    ("origin", "destination"),
    ("fromnode", "tonode"),
    ("fromnodeid", "tonodeid"),
    ("fromid", "toid"),
    ("node1", "node2"),
    ("id1", "id2"),
];

/// Names of columns of numbers that are no weights, in the same form.
const NO_WEIGHTS: [&str; 14] = [
    "id",
    "edgeid",
    "key",
    "index",
    "nr",
    "no",
    "number",
    "code",
    "year",
    "month",
    "day",
    "date",
    "time",
    "timestamp",
];

/// Maximum number of columns.
const MAX_COLUMNS: usize = 4096;

/// The byte between two fields; blanks stand for any number of blanks and tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Blanks,
    Byte(u8),
}

/// The columns of an edge list, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) separator: Separator,
    /// Whether the first line names the columns.
    pub(super) has_header: bool,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) weight: Option<usize>,
    /// Number of columns of the first line.
    pub(super) n_columns: usize,
    /// The column of Gephi that says of each edge whether it has a direction.
    pub(super) kind: Option<usize>,
    /// Whether fields are in quotes, or a weight is in the data of a networkx edge.
    needs_cells: bool,
    /// Whether the vertices are texts.
    pub(super) texts: bool,
    /// The names of the columns, or their numbers from 1.
    names: Vec<String>,
    /// Whether the user chose columns.
    chosen: bool,
    /// Whether weights may have a decimal comma.
    pub(super) has_commas: bool,
    /// How the columns were chosen, unless they are the only ones and have no names.
    pub(super) note: Option<String>,
}

/// A field of a line, without quotes and blanks around it.
type Cell = String;

impl Plan {
    /// Makes a plan from the first line and the one after it, which may be cut; `None` for the
    /// second one at the end of the file.
    pub(super) fn new(
        first: &[u8],
        second: Option<&[u8]>,
        source: &Source,
        line: u64,
    ) -> Result<Plan, Fault> {
        let EdgeFields { from, to, weight } = source.edge_fields();
        let rules = source.field_rules();
        let is_free = source.edge_fields() == EdgeFields::default() && rules.texts.is_empty();
        if is_free
            && rules.header != Some(true)
            && let Some(plan) = Plan::of_numbers(first)
        {
            return Ok(plan);
        }
        let separator = Separator::of(first);
        let fault =
            |message: String| source.fault(Code::BadFormat, message).at(line, 1).showing(first, 1);
        if states_separator(first) {
            let fault = fault(SEPARATOR_FOR_EXCEL.to_owned());
            return Err(Box::new(fault.help("delete the first line")));
        }
        let mut cells = separator.split(first);
        let [has_quotes, has_quotes_below] =
            [Some(first), second].map(|line| line.is_some_and(|line| line.contains(&b'"')));
        let second = second.map(|second| separator.split(second));
        if cells.len() > MAX_COLUMNS {
            return Err(Box::new(fault(format!("more than {MAX_COLUMNS} columns"))));
        }
        let mut names = cells.clone();
        let is_declared_text: Vec<bool> = names.iter_mut().map(take_declaration).collect();
        let wanted = [from, to, weight].into_iter().flatten();
        let names_columns = wanted.clone().any(|name| position(&names, name).is_some());
        let ends = usual_ends(&names);
        let is_header = cells.iter().all(|cell| is_name(cell));
        let differs = || {
            let second = second.as_deref().unwrap_or_default();
            second.iter().zip(&cells).any(|(below, cell)| is_name(cell) && is_number(below))
        };
        let has_header = match rules.header {
            Some(has_header) => has_header,
            None => is_header && (names_columns || ends.is_some() || differs()),
        };
        if has_header {
            cells = names;
        }
        let header: &[Cell] = if has_header { &cells } else { &[] };
        let choose = |name: &str, setting: &str| {
            let number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let found = position(header, name).or(number.filter(|&idx| idx < cells.len()));
            found.ok_or_else(|| {
                let columns = match has_header {
                    true => format!("its columns are {}", list(&cells)),
                    false => format!("it has no header; its columns are 1 to {}", cells.len()),
                };
                let name = text::quote(name.as_bytes());
                let fault = fault(format!("no column {name} for `{setting}=`"));
                Box::new(fault.note(columns))
            })
        };
        let unnamed = (cells.len() >= 2).then_some((0, 1));
        let is_few = match cells.len() {
            2 => true,
            3 => weights::is_usual(&cells[2]),
            _ => false,
        };
        let usual = ends.filter(|_| has_header).or(unnamed.filter(|_| is_few || !has_header));
        let chosen = from.is_some() || to.is_some() || weight.is_some();
        let from = from.map(|name| choose(name, "from")).transpose()?;
        let to = to.map(|name| choose(name, "to")).transpose()?;
        let (from, to) = match (from, to, usual) {
            (Some(from), Some(to), _) => (from, to),
            (Some(from), None, Some((_, to))) => (from, to),
            (None, Some(to), Some((from, _))) => (from, to),
            (None, None, Some(usual)) => usual,
            (_, _, None) if cells.len() < 2 => {
                let message = "an edge needs two vertices, and the line has one field".to_owned();
                return Err(Box::new(fault(message).note(LINES)));
            }
            (_, _, None) => {
                let message = match (from, to) {
                    (None, None) => "cannot tell which columns are the vertices of an edge",
                    _ => "cannot tell which column is the other vertex of an edge",
                };
                let error = fault(message.to_owned());
                let error = error.note(format!("the columns are {}", list(&cells)));
                let mut free =
                    cells.iter().enumerate().filter(|(idx, _)| ![from, to].contains(&Some(*idx)));
                let mut setting = |name: &str| {
                    let (_, cell) = free.next()?;
                    let cell = text::quote(cell.as_bytes());
                    Some(format!("{name}={}", cell.trim_matches('`')))
                };
                let missing = [(from, "from"), (to, "to")].into_iter();
                let missing = missing.filter(|(given, _)| given.is_none());
                let missing: Vec<String> = missing.filter_map(|(_, name)| setting(name)).collect();
                let what = if missing.len() == 1 { "it" } else { "them" };
                let help = format!("choose {what}: `{}`", missing.join(" "));
                let error = error.note(LINES).help(help);
                return Err(Box::new(match Format::of_path(source.file()) {
                    Some(Format::Csv) => error,
                    Some(_) | None => error.help(
                        "a table must be in a file that ends in `.csv`, where tabs and semicolons \
                            between the fields are recognised, too",
                    ),
                }));
            }
        };
        if from == to {
            return Err(Box::new(fault("`from=` and `to=` choose the same column".to_owned())));
        }
        let record = if has_header { second.as_deref().unwrap_or_default() } else { &cells };
        let data = record.iter().position(|cell| cell.starts_with('{'));
        let is_kind = |(name, cell): (&Cell, &Cell)| plain(name) == "type" && kind(cell).is_some();
        let kind = header.iter().zip(record).position(is_kind);
        let kind = kind.filter(|idx| ![from, to].contains(idx));
        let weight = match weight {
            Some(_) if !source.edge_fields().reads_weights() => None,
            // An attribute of the data of networkx.
            Some(name) if data.is_some() && position(header, name).is_none() => data,
            Some(name) => Some(choose(name, "weight")?),
            None => usual_weight(header, &cells, second.as_deref(), [from, to]),
        };
        if weight.is_some_and(|idx| idx == from || idx == to) {
            let message = "`weight=` chooses a column of vertices".to_owned();
            return Err(Box::new(fault(message).help("`weight=none` reads no weights")));
        }
        let names: Vec<String> = match has_header {
            true => cells.clone(),
            false => (1..=cells.len()).map(|number| number.to_string()).collect(),
        };
        let columns = EdgeColumns { names, ends: [from, to], weight };
        let is_text = |idx: usize| {
            let mut texts = rules.texts.iter().map(|name| columns.find(name));
            texts.any(|found| found == Some(idx)) || (has_header && is_declared_text[idx])
        };
        let is_vertex_number = |idx: usize| record.get(idx).is_none_or(|cell| is_number(cell));
        let texts =
            is_text(from) || is_text(to) || !is_vertex_number(from) || !is_vertex_number(to);
        let mut plan = Plan {
            separator,
            has_header,
            from,
            to,
            weight,
            n_columns: cells.len(),
            kind,
            needs_cells: data.is_some() || has_quotes_below || (has_quotes && !has_header),
            texts,
            names: columns.names,
            chosen,
            has_commas: separator == Separator::Byte(b';'),
            note: None,
        };
        plan.note = plan.describe(header);
        Ok(plan)
    }

    /// The plan of a line of numbers only, with any of the separators between them.
    fn of_numbers(line: &[u8]) -> Option<Plan> {
        let cells = line.split(|byte| matches!(byte, b' ' | b'\t' | b',' | b'\r'));
        let cells = cells.filter(|cell| !cell.is_empty()).take_while(|cell| cell[0] != b'#');
        let is_number = |cell: &[u8]| std::str::from_utf8(cell).is_ok_and(is_number);
        let n_columns = cells.clone().count();
        cells.clone().all(is_number).then(|| Plan {
            separator: Separator::of(line),
            has_header: false,
            from: 0,
            to: 1,
            weight: (n_columns > 2).then_some(2),
            n_columns,
            kind: None,
            needs_cells: false,
            texts: false,
            names: (1..=n_columns).map(|number| number.to_string()).collect(),
            chosen: false,
            has_commas: false,
            note: None,
        })
    }

    /// Returns the columns for their use in settings.
    pub(super) fn columns(&self) -> EdgeColumns {
        let Plan { names, from, to, weight, .. } = self;
        EdgeColumns { names: names.clone(), ends: [*from, *to], weight: *weight }
    }

    /// Returns the names of the columns of vertices.
    pub(super) fn ends(&self) -> [String; 2] {
        [self.from, self.to].map(|idx| {
            self.names.get(idx).map(|name| star_base::text::one_line(name)).unwrap_or_default()
        })
    }

    /// Returns whether lines are vertices in the first two columns and perhaps a weight in the
    /// third.
    pub(super) fn is_simple(&self) -> bool {
        let weight = match self.n_columns {
            0..=2 => self.weight.is_none(),
            3 => self.weight == Some(2),
            _ => self.weight == Some(2) && !self.has_header && !self.chosen,
        };
        let separator = self.separator != Separator::Byte(b';');
        let is_plain = !self.texts && !self.needs_cells;
        is_plain && (self.from, self.to) == (0, 1) && weight && separator
    }

    fn describe(&self, header: &[Cell]) -> Option<String> {
        let name = |idx: usize| match header.get(idx) {
            Some(name) => text::quote(name.as_bytes()),
            None => (idx + 1).to_string(),
        };
        let is_plain = header.is_empty() && (self.from, self.to) == (0, 1);
        if self.is_simple() && is_plain {
            return None;
        }
        let (from, to) = (name(self.from), name(self.to));
        let weight = match self.weight {
            Some(weight) => format!(", the weights are in {}", name(weight)),
            None => ", there are no weights".to_owned(),
        };
        let others = (0..self.n_columns).filter(|idx| {
            ![Some(self.from), Some(self.to), self.weight, self.kind].contains(&Some(*idx))
        });
        let others: Vec<String> = others.take(6).map(name).collect();
        let others = match others.is_empty() {
            true => String::new(),
            false if self.weight.is_none() && !self.chosen => {
                format!(": `weight=` chooses one of {}", others.join(", "))
            }
            false => format!("; not read: {}", others.join(", ")),
        };
        let start = if header.is_empty() { "without a header, " } else { "" };
        Some(format!("{start}the arcs go from column {from} to {to}{weight}{others}"))
    }
}

/// The form of the lines, for notes.
pub(super) const LINES: &str = "an edge list has lines `FROM TO` or `FROM TO WEIGHT`, separated by \
    blanks, tabs, commas or semicolons, perhaps after a line of names";

impl Separator {
    /// Finds the separator of a line: a tab, semicolon or comma outside of quotes, otherwise
    /// blanks.
    pub(super) fn of(line: &[u8]) -> Separator {
        let mut is_quoted = false;
        let mut found = [false; 3];
        for &byte in line {
            match byte {
                b'"' => is_quoted = !is_quoted,
                b'{' if !is_quoted => break, // the data of a networkx edge
                _ if is_quoted => {}
                b'\t' => found[0] = true,
                b';' => found[1] = true,
                b',' => found[2] = true,
                _ => {}
            }
        }
        match found {
            // Blanks may surround a comma.
            [true, false, true] | [false, false, true] => Separator::Byte(b','),
            [_, true, _] => Separator::Byte(b';'),
            [true, false, false] => Separator::Byte(b'\t'),
            [false, false, false] => Separator::Blanks,
        }
    }

    /// Returns whether a `#` after this number of fields begins a comment.
    pub(super) fn ends_before_comment(self, n_cells: usize) -> bool {
        self == Separator::Blanks && n_cells >= 2
    }

    /// Splits a line, up to a comment after fields that blanks separate.
    pub(super) fn split(self, line: &[u8]) -> Vec<Cell> {
        let mut cells = Vec::new();
        let mut rest = line.trim_ascii();
        while !rest.is_empty() && cells.len() <= MAX_COLUMNS {
            let is_end = |byte: &u8| match self {
                Separator::Blanks => matches!(byte, b' ' | b'\t'),
                Separator::Byte(separator) => *byte == separator,
            };
            let (cell, n_bytes) = match rest {
                [b'"', quoted @ ..] => {
                    let len = quoted.iter().position(|&byte| byte == b'"').unwrap_or(quoted.len());
                    let end = rest.get(len + 2..).unwrap_or_default();
                    (&quoted[..len], len + 2 + end.iter().position(is_end).unwrap_or(end.len()))
                }
                [b'{', ..] => (rest, rest.len()),
                [b'#', ..] if self.ends_before_comment(cells.len()) => break,
                _ => {
                    let len = rest.iter().position(is_end).unwrap_or(rest.len());
                    (&rest[..len], len)
                }
            };
            cells.push(String::from_utf8_lossy(cell).trim().to_owned());
            let ended = n_bytes >= rest.len();
            rest = rest.get(n_bytes + 1..).unwrap_or_default();
            if self == Separator::Blanks {
                rest = rest.trim_ascii_start();
            } else if !ended && rest.is_empty() {
                cells.push(String::new());
            }
        }
        cells
    }
}

/// Removes the declaration of a text or of a width from the name of a column, `from:text` or
/// `km:8`; returns whether it declares a text.
fn take_declaration(cell: &mut Cell) -> bool {
    let (name, declaration) = match cell.rsplit_once(':') {
        Some((name, declaration)) if !name.is_empty() => (name, declaration),
        Some(_) | None => return false,
    };
    let is_text = declaration == "text";
    if is_text || declaration.bytes().all(|byte| byte.is_ascii_digit()) {
        *cell = name.to_owned();
    }
    is_text
}

/// Returns whether a cell may be the name of a column: it does not begin like a number.
fn is_name(cell: &str) -> bool {
    !cell.is_empty() && !cell.starts_with(|c: char| c.is_ascii_digit() || "+-.{".contains(c))
}

/// Returns whether a reader would take the name of a vertex for a number.
pub(super) fn is_number(cell: &str) -> bool {
    crate::decimal::Decimal::parse(cell).is_some()
}

/// Returns whether a field of the column `Type` of Gephi says that an edge has a direction; `None`
/// if it says something else.
pub(super) fn kind(cell: &str) -> Option<bool> {
    match cell.trim().to_ascii_lowercase().as_str() {
        "directed" => Some(true),
        "undirected" | "mutual" => Some(false),
        _ => None,
    }
}

fn position(cells: &[Cell], name: &str) -> Option<usize> {
    cells.iter().position(|cell| cell == name)
}

/// A name in lower case, without blanks, `_` and `-`.
fn plain(cell: &Cell) -> String {
    let letters = cell.chars().filter(|c| !matches!(c, ' ' | '_' | '-'));
    letters.flat_map(char::to_lowercase).collect()
}

/// The columns with usual names of both ends.
fn usual_ends(cells: &[Cell]) -> Option<(usize, usize)> {
    let cells: Vec<String> = cells.iter().map(plain).collect();
    let find = |name: &str| cells.iter().position(|cell| cell == name);
    ENDS.iter().find_map(|(from, to)| Some((find(from)?, find(to)?)))
}

/// The column of weights: the one with a usual name; without a header the third one; among three
/// the remaining one if it holds numbers and its name is not one of [`NO_WEIGHTS`].
fn usual_weight(
    header: &[Cell],
    cells: &[Cell],
    second: Option<&[Cell]>,
    ends: [usize; 2],
) -> Option<usize> {
    let is_free = |idx: &usize| !ends.contains(idx);
    let mut named = weights::NAMES.iter().filter_map(|name| {
        header.iter().position(|cell| cell.eq_ignore_ascii_case(name)).filter(is_free)
    });
    if let Some(named) = named.next() {
        return Some(named);
    }
    let idx = (0..cells.len()).find(is_free)?;
    if header.is_empty() {
        return Some(idx);
    }
    let cell = second.and_then(|second| second.get(idx)).filter(|_| cells.len() == 3)?;
    let is_weight = is_number(cell) && !NO_WEIGHTS.contains(&&*plain(&cells[idx]));
    (is_weight || cell.starts_with('{')).then_some(idx)
}

/// The cells as a list of names.
fn list(cells: &[Cell]) -> String {
    text::quoted_names(cells.iter().map(|cell| cell.as_bytes()))
}

/// The error for a field that should be a vertex, with advice.
pub(super) fn not_a_vertex(fault: FileError, plan: &Plan) -> FileError {
    let [from, to] = plan.ends();
    fault
        .note("the vertices of the first edge are numbers")
        .help(format!("`texts={from},{to}` reads all vertices as texts"))
}
