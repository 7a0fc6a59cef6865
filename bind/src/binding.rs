//! Binding of the parameters of a routine: by name on the command line, by a graph, or unset.
//!
//! Files are not read here; [`crate::load`] reads them.

use std::collections::BTreeMap;
use std::rc::Rc;

use star_base::{Code, Diagnostic, did_you_mean};
use star_io::{Layout, Peers};

use crate::arg_value::{self, ArgValue};
use crate::data::{MAX_WIDTH, WidthOverrides};
use crate::layouts::AnyLayout;
use crate::load::is_width;
use crate::offer::{Offer, offer, offered_names, table_of_offset};
use crate::param::{Kind, Param, Signature};
use crate::rows::GRAPH;
use crate::settings::{SETTINGS, Settings};
use crate::widths::uses;
use star_base::text;
use star_value::{TableWish, Value};

/// The origin of the value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Argument(ArgValue),
    /// The graph of `--graph`, or for [`Offer::Offset`] the file of another parameter.
    Offer(Offer),
    /// None: a `var` parameter that was never set.
    Unset,
}

/// The dense tables that are left in their files, and the files that processes share.
#[derive(Clone, Debug)]
pub struct Leave {
    /// The most bytes of a table that is not left.
    pub least_bytes: u64,
    /// The number of processes that share the rows of a table.
    pub n_holders: usize,
    /// The minimum number of rows that they share.
    pub least_rows: usize,
    /// The exchange between these processes, if they can share the work of reading files.
    pub peers: Option<Rc<dyn Peers>>,
}

impl Leave {
    /// Leaves tables of more than this number of bytes; this process will hold all of them.
    pub fn above(least_bytes: u64) -> Self {
        Leave { least_bytes, n_holders: 1, least_rows: 0, peers: None }
    }

    /// Returns the number of processes that share a table.
    pub(crate) fn holders_of(&self, n_rows: usize) -> u64 {
        if n_rows >= self.least_rows { self.n_holders.max(1) as u64 } else { 1 }
    }
}

/// The origins of all values.
#[derive(Debug)]
pub struct Binding {
    /// One for each parameter, in order.
    pub origins: Vec<Origin>,
    /// Widths given by the user.
    pub widths: WidthOverrides,
    /// The preferred forms of the tables of the parameters, in order; the default where an element
    /// is missing.
    pub wishes: Vec<TableWish>,
    /// The dense tables that are left in their files, if their lengths are known: the caller reads
    /// them by parts, each to where it is needed. `None` for a caller that needs all values.
    pub leave: Option<Leave>,
    /// The parameters whose row meanings are kept, and possibly [`GRAPH`](crate::rows::GRAPH).
    pub kept: Vec<String>,
    /// The most arcs of the graph that the values come from if it is kept.
    pub keeps_arcs: Option<usize>,
    /// The user's settings for files.
    pub settings: Settings,
    /// Faults unless one of the files is an update stream, which accepts widths without a layout.
    pub unless_stream: Vec<Diagnostic>,
}

impl Binding {
    /// Returns the default meaning of the rows of a slice over edges: those of the first parameter
    /// of `signature` whose rows are arcs, otherwise those of the graph of `--graph`.
    pub fn arcs(&self, signature: &Signature, with_graph: bool) -> Option<String> {
        let mut params = signature.params.iter().zip(&self.origins);
        let named = params.find(|(_, origin)| match origin {
            Origin::Argument(ArgValue::File { layout: Some(AnyLayout::Graph(layout)), .. }) => {
                layout.rows_are_arcs()
            }
            Origin::Offer(offer) => offer.layout().is_some_and(Layout::rows_are_arcs),
            Origin::Argument(_) | Origin::Unset => false,
        });
        let named = named.map(|(param, _)| param.name.clone());
        named.or_else(|| with_graph.then(|| GRAPH.to_owned()))
    }
}

/// The treatment of names that are unknown to the routine and its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownNames {
    /// They are errors.
    Refused,
    /// They are ignored: a header has additional names.
    Ignored,
}

/// Determines the origins of the values of the parameters of `signature`: `arguments` are
/// `NAME=VALUE`, `with_graph` says whether `--graph` is given.
///
/// # Errors
/// All of E0603, E0604, E0605, E0507 and E0608 at once.
pub fn bind(
    signature: &Signature,
    arguments: &[String],
    with_graph: bool,
    unknown: UnknownNames,
) -> Result<Binding, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let (given, others) = match_names(signature, arguments, with_graph, unknown, &mut faults);
    // A graph that is read names its vertices.
    let is_data = |param: &&Param| param.kind.is_data() && given.contains_key(param.name.as_str());
    let reads_file = with_graph || signature.params.iter().any(|param| is_data(&param));
    let mut missing = Vec::new();
    let mut origins = Vec::new();
    for param in &signature.params {
        let Param { name, by_ref, takes_value, kind, fields: _, text } = param;
        let is_result = *by_ref && !takes_value;
        let offered = offer(name, *kind).filter(|_| with_graph && !is_result);
        origins.push(match (given.get(name.as_str()), offered) {
            (Some(&""), _) if *by_ref && *kind != Kind::Str => Origin::Unset,
            (Some(text), _)
                if reads_file && names_vertex(name, *kind, text) && !signature.is_width(name) =>
            {
                Origin::Argument(ArgValue::Vertex((*text).to_owned()))
            }
            (Some(text), _) => match arg_value::parse(name, *kind, text) {
                Ok(given) => Origin::Argument(given),
                Err(fault) => {
                    faults.push(fault);
                    Origin::Unset
                }
            },
            (None, Some(offer)) => Origin::Offer(offer),
            (None, None) if table_of_offset(signature, param).is_some() => {
                Origin::Offer(Offer::Offset)
            }
            // A missing flag is false.
            (None, None) if !by_ref && *kind == Kind::Bool => {
                Origin::Argument(ArgValue::Value(Value::Bool(false)))
            }
            (None, None) => {
                if !by_ref && text.is_none() {
                    missing.push(param);
                }
                Origin::Unset
            }
        });
    }
    missing.retain(|param| param.kind != Kind::Int || !is_width(signature, &origins, &param.name));
    if !missing.is_empty() {
        faults.push(no_value(signature, &missing, with_graph));
    }
    let mut settings = Settings::default();
    // A parameter with this name is also a setting.
    for name in ["scale", "widths"] {
        if let Some(value) = given.get(name) {
            // A value that is invalid for the setting applies only to the parameter.
            let _ = settings.take(name, value);
        }
    }
    for (name, value) in &others {
        // A number in a header may have any name.
        let is_size = unknown == UnknownNames::Ignored
            && matches!(*name, "texts" | "order" | "codes" | "header" | "palette" | "times")
            && value.parse::<i64>().is_ok();
        if !is_size {
            faults.extend(settings.give(name, value).err());
        }
    }
    let mut unless_stream = Vec::new();
    let reported = (&mut faults, &mut unless_stream);
    let widths = widths(signature, &origins, &others, unknown, reported);
    match faults.is_empty() {
        true => {
            let (wishes, kept, keeps_arcs) = (Vec::new(), Vec::new(), None);
            Ok(Binding {
                origins,
                widths,
                wishes,
                leave: None,
                kept,
                keeps_arcs,
                settings,
                unless_stream,
            })
        }
        false => Err(faults),
    }
}

/// Names of integer parameters that are vertices.
const VERTICES: [&str; 12] =
    ["s", "t", "u", "v", "source", "target", "root", "start", "goal", "from", "to", "vertex"];

/// Returns whether an argument of a routine over a graph is the name of a vertex: a text for an
/// integer, or a number for a parameter with the usual name of a vertex.
fn names_vertex(name: &str, kind: Kind, text: &str) -> bool {
    let is_number = text.parse::<i64>().is_ok();
    kind == Kind::Int && !text.is_empty() && (!is_number || VERTICES.contains(&name))
}

/// Texts by name.
type Texts<'a> = BTreeMap<&'a str, &'a str>;

/// Returns the arguments by the names of their parameters, and the settings that are not
/// parameters.
fn match_names<'a>(
    signature: &Signature,
    arguments: &'a [String],
    with_graph: bool,
    unknown: UnknownNames,
    faults: &mut Vec<Diagnostic>,
) -> (Texts<'a>, Texts<'a>) {
    let (mut given, mut others) = (BTreeMap::new(), BTreeMap::new());
    for argument in arguments {
        let (name, value) = match arg_value::split(argument) {
            Ok(pair) => pair,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        let is_param = signature.params.iter().any(|param| param.name == name);
        // A table of weights is given by a file, a column of an edge list by its name.
        let is_param = is_param && !(with_graph && name == "weight" && is_column(value));
        let texts = match is_param {
            true => &mut given,
            false if SETTINGS.contains(&name) => &mut others,
            false => {
                if unknown == UnknownNames::Refused {
                    faults.push(no_parameter(signature, name));
                }
                continue;
            }
        };
        if texts.insert(name, value).is_some() {
            let message = format!("`{name}` is given twice");
            faults.push(Diagnostic::new(Code::BadArgument, message));
        }
    }
    (given, others)
}

/// Returns whether a value for `weight` is the name of a column, and neither bits nor a file.
fn is_column(value: &str) -> bool {
    let is_bits = value.bytes().all(|byte| matches!(byte, b'0' | b'1' | b' ' | b'\''));
    !is_bits && !value.contains(['.', ':', '/', '\\'])
}

fn no_parameter(signature: &Signature, name: &str) -> Diagnostic {
    let names = || signature.given().map(|param| param.name.as_str());
    let message = format!("`{}` has no parameter `{name}`", signature.name);
    let mut diagnostic = Diagnostic::new(Code::NoSuchParameter, message);
    diagnostic = diagnostic.note(match signature.given().count() {
        0 => format!("`{}` has no parameters", signature.name),
        _ => format!("its parameters are {}", text::quoted_list(names())),
    });
    match did_you_mean(name, names().chain(SETTINGS)) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}=…`?")),
        None => diagnostic,
    }
}

fn no_value(signature: &Signature, missing: &[&Param], with_graph: bool) -> Diagnostic {
    let names = text::quoted_list(missing.iter().map(|param| &param.name));
    let message = match missing {
        [_] => format!("`{}` needs a value for {names}", signature.name),
        _ => format!("`{}` needs values for {names}", signature.name),
    };
    let mut diagnostic = Diagnostic::new(Code::MissingArgument, message);
    for param in missing {
        let Param { name, kind, .. } = param;
        let help = arg_value::what_to_write(name, *kind);
        diagnostic = match offer(name, *kind) {
            Some(_) => diagnostic.help(format!("{help}; `--graph FILE` also provides it")),
            None if with_graph => {
                let offered = not_offered(name, *kind);
                let diagnostic = offered.into_iter().fold(diagnostic, Diagnostic::note);
                match kind {
                    Kind::Table => diagnostic.help(format!(
                        "write `{name}=adjacency:FILE`, or another layout of the graph before the \
                            colon"
                    )),
                    Kind::Slice => {
                        diagnostic.help(format!("write `{name}=edges:FILE` for its edges"))
                    }
                    Kind::Int | Kind::Bool | Kind::Str | Kind::Word | Kind::Handle => {
                        diagnostic.help(help)
                    }
                }
            }
            None => diagnostic.help(help),
        };
    }
    diagnostic
}

/// Describes the values that `--graph` provides for parameters of this kind, which have other
/// names; `None` if there are none.
fn not_offered(name: &str, kind: Kind) -> Option<String> {
    let names = text::quoted_list(offered_names(kind));
    (!names.is_empty()).then(|| {
        format!("`--graph` provides {} as {names}, but not as `{name}`", kind.with_article())
    })
}

/// Returns the integers given to `h` and `b` if a layout uses them.
fn widths(
    signature: &Signature,
    origins: &[Origin],
    others: &Texts<'_>,
    unknown: UnknownNames,
    (faults, unless_stream): (&mut Vec<Diagnostic>, &mut Vec<Diagnostic>),
) -> WidthOverrides {
    let mut width = |wanted: &str, used: fn(star_io::Layout) -> bool, infinity: bool| {
        let uses = origins.iter().map(|origin| match origin {
            Origin::Argument(ArgValue::File { layout, .. }) => match layout {
                Some(AnyLayout::Graph(layout)) => Use::of(used(*layout)),
                Some(AnyLayout::Updates) => Use::Sure,
                Some(AnyLayout::Numbers(_)) => Use::None,
                None => Use::OfStream,
            },
            Origin::Offer(Offer::Layout(layout)) => Use::of(used(*layout)),
            Origin::Offer(Offer::Infinity | Offer::BiasedZero) => Use::of(infinity),
            Origin::Offer(_)
            | Origin::Argument(ArgValue::Value(_) | ArgValue::Vertex(_))
            | Origin::Unset => Use::None,
        });
        let found = uses.max().unwrap_or(Use::None);
        if others.contains_key(wanted) && unknown == UnknownNames::Refused {
            let fault = || no_parameter(signature, wanted).note("no layout uses that width");
            match found {
                Use::None => faults.push(fault()),
                Use::OfStream => unless_stream.push(fault()),
                Use::Sure => {}
            }
        }
        let number = match others.get(wanted) {
            Some(_) if found == Use::None => return None,
            // A name in a header need not be a width.
            Some(text) if found == Use::OfStream && unknown == UnknownNames::Ignored => {
                return arg_value::width(text);
            }
            Some(text) => match arg_value::parse(wanted, Kind::Int, text) {
                Ok(ArgValue::Value(Value::Int(number))) => number,
                Ok(_) => return None,
                Err(fault) => {
                    faults.push(fault);
                    return None;
                }
            },
            None => {
                let mut params = signature.params.iter().zip(origins);
                let (_, origin) = params.find(|(param, _)| param.name == wanted)?;
                match origin {
                    Origin::Argument(ArgValue::Value(Value::Int(number))) => match found {
                        Use::Sure => *number,
                        // A parameter of that name need not be a width.
                        Use::OfStream if (0..=MAX_WIDTH).contains(number) => *number,
                        Use::OfStream | Use::None => return None,
                    },
                    Origin::Argument(_) | Origin::Offer(_) | Origin::Unset => return None,
                }
            }
        };
        if !(0..=MAX_WIDTH).contains(&number) {
            let message = format!("`{wanted}={number}` is not a valid width");
            let help = format!("a width must be a number of bits from 0 to {MAX_WIDTH}");
            faults.push(Diagnostic::new(Code::BadArgument, message).help(help));
        }
        usize::try_from(number).ok()
    };
    WidthOverrides {
        h: width("h", |layout| uses(layout).0, true),
        b: width("b", |layout| uses(layout).1, false),
    }
}

/// Whether a file uses a width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// No.
    None,
    /// If the file is an update stream, which is detected only when it is read.
    OfStream,
    /// Yes.
    Sure,
}

impl Use {
    fn of(is_used: bool) -> Self {
        if is_used { Use::Sure } else { Use::None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::param::examples::{signature, value, var};
    use crate::settings::SETTINGS_HELP;

    fn dijkstra() -> Signature {
        let params = vec![
            value("Cost", Kind::Table),
            value("h", Kind::Int),
            value("v", Kind::Int),
            var("D", Kind::Table),
            var("X", Kind::Slice),
        ];
        signature("DIJKSTRA", params)
    }

    fn bind_all(arguments: &[&str], with_graph: bool) -> Result<Binding, Vec<Diagnostic>> {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        bind(&dijkstra(), &arguments, with_graph, UnknownNames::Refused)
    }

    #[test]
    fn a_graph_provides_missing_arguments() {
        let binding = bind_all(&["v=1", "h=9"], true).unwrap();
        assert_eq!(binding.origins[0], Origin::Offer(Offer::Layout(Layout::WeightsOut)));
        assert_eq!(binding.origins[3], Origin::Offer(Offer::Layout(Layout::Distances)));
        assert_eq!(binding.origins[4], Origin::Unset);
        assert_eq!(binding.widths, WidthOverrides { h: Some(9), b: None });
        let binding = bind_all(&["v=1", "h=9", "D=", "Cost=grid:c.png"], true).unwrap();
        assert_eq!(binding.origins[3], Origin::Unset);
        assert_eq!(binding.widths, WidthOverrides::default());
    }

    #[test]
    fn results_that_are_only_written_get_no_graph_value() {
        let mut dijkstra = dijkstra();
        dijkstra.params[3].takes_value = false;
        let bind = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
            bind(&dijkstra, &arguments, true, UnknownNames::Refused).unwrap()
        };
        assert_eq!(bind(&["v=1", "h=9"]).origins[3], Origin::Unset);
        let given = bind(&["v=1", "h=9", "D=d.stb"]);
        assert!(matches!(given.origins[3], Origin::Argument(ArgValue::File { .. })));
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let faults = bind_all(&["v=x", "Csot=a.gr", "h", "v=1"], false).unwrap_err();
        let codes: Vec<Code> = faults.iter().map(|fault| fault.code).collect();
        let expected =
            [Code::NoSuchParameter, Code::Usage, Code::BadArgument, Code::MissingArgument];
        assert_eq!(codes, expected);
        assert_eq!(faults[0].help, ["did you mean `Cost=…`?"]);
        assert_eq!(faults[3].message, "`DIJKSTRA` needs values for `Cost`, `h`");
        let faults = bind_all(&["v=1", "scal=2", "Cost=a.gr", "h=3"], false).unwrap_err();
        assert_eq!(faults[0].help, ["did you mean `scale=…`?"]);
        let faults = bind_all(&["v=x", "Csot=a.gr", "h", "v=1"], false).unwrap_err();
        assert!(faults[3].help[1].contains("`--graph FILE` also provides it"));
    }

    #[test]
    fn every_setting_of_the_help_is_accepted() {
        let help = SETTINGS_HELP.lines().filter_map(|line| line.strip_prefix("  "));
        let names: Vec<&str> = help
            .filter(|line| !line.starts_with(' '))
            .filter_map(|line| Some(line.split_once('=')?.0))
            .collect();
        assert_eq!(names, SETTINGS);
        let binding = bind_all(&["v=1", "h=3", "Cost=c.png", "nodata=-5", "palette=index"], false);
        let settings = binding.unwrap().settings;
        assert!(settings.nodata.is_some() && settings.palette_indices);
        let fault = bind_all(&["v=1", "h=3", "Cost=c.png", "nodata=x", "palette=2"], false);
        let codes: Vec<Code> = fault.unwrap_err().iter().map(|fault| fault.code).collect();
        assert_eq!(codes, [Code::BadArgument; 2]);
    }

    #[test]
    fn unknown_names_can_be_ignored() {
        let arguments = ["v=1", "Cost='01 10'", "h=3", "m=4", "b=5"].map(str::to_owned);
        assert!(bind(&dijkstra(), &arguments, false, UnknownNames::Ignored).is_ok());
        let refused = bind(&dijkstra(), &arguments, false, UnknownNames::Refused).unwrap_err();
        assert_eq!(refused.len(), 2);
    }

    #[test]
    fn a_width_is_checked_where_it_is_used() {
        let faults = bind_all(&["v=1", "h=-1"], true).unwrap_err();
        assert_eq!(faults[0].code, Code::BadArgument);
        assert!(bind_all(&["v=1", "h=-1", "Cost=c.stb"], false).is_ok());
    }

    #[test]
    fn a_file_without_a_layout_may_be_an_update_stream() {
        let binding = bind_all(&["v=1", "h=9", "b=5", "Cost=c.txt"], false).unwrap();
        assert_eq!(binding.widths, WidthOverrides { h: Some(9), b: Some(5) });
        let codes: Vec<Code> = binding.unless_stream.iter().map(|fault| fault.code).collect();
        assert_eq!(codes, [Code::NoSuchParameter]);
        let named = bind_all(&["v=1", "h=9", "b=5", "Cost=updates:c.txt"], false).unwrap();
        assert_eq!((named.widths, named.unless_stream), (binding.widths, Vec::new()));
        let bits = bind_all(&["v=1", "h=9", "b=5", "Cost='010 110'"], false).unwrap_err();
        assert_eq!(bits[0].code, Code::NoSuchParameter);
    }
}
