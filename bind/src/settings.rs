//! Settings for reading files, given like parameters: `scale=100`, `widths=8,4`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use star_base::{Code, Diagnostic, did_you_mean, text};
use star_io::{
    Data, Decimal, Direction, EdgeColumns, EdgeFields, FieldRules, FileError, Format, LoadedFile,
    Meaning, Numbers, Transform,
};

use crate::arg_value;
use crate::encoding::WriteStyle;
use crate::source::Observer;

/// The maximum width of a field, in bits.
const MAX_WIDTH: usize = 4096;

/// The user's settings for files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The factor of the values of files.
    pub scale: Option<Decimal>,
    /// The factors of single fields of lists.
    pub field_scales: Vec<(String, Decimal)>,
    /// The widths of the fields of numbers, in bits and in order.
    pub widths: Option<Vec<usize>>,
    /// Fields of lists that contain texts, even if these look like numbers.
    pub texts: Vec<String>,
    /// Whether the codes of texts follow the order of their characters.
    pub sorted: bool,
    /// The default for empty fields of a list.
    pub empty: Option<String>,
    /// The number of a file that represents a missing value.
    pub nodata: Option<Decimal>,
    /// Whether NaN represents a missing value.
    pub nan_is_missing: bool,
    /// Whether a picture with a palette is read as the indices of its colours.
    pub palette_indices: bool,
    /// Whether the first record of a list is a header; by default if every field is a name.
    pub header: Option<bool>,
    /// The codes of the texts, and the offsets of the numbers, of several fields.
    pub codes: Codes,
    /// Whether the times of edge lists are skipped.
    pub skip_times: bool,
    /// The fields of edge lists.
    pub from: Option<String>,
    /// See `from`.
    pub to: Option<String>,
    /// See `from`; also the attribute of other formats.
    pub weight: Option<String>,
    /// The direction of the arcs of graphs, unless the name of a file says it.
    pub direction: Direction,
    /// How files are written; see [`Settings::write_style`].
    pub style: WriteStyle,
    /// The given settings that warn if no file uses them.
    given: Vec<&'static Concern>,
    /// The uses of all files that were read, also with copies of these settings.
    used: Rc<Cell<Uses>>,
    /// The lists among these files.
    lists: Rc<RefCell<BTreeSet<(String, Columns)>>>,
}

/// The columns of a list that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Columns {
    /// The fields of records.
    Fields(Vec<String>),
    /// The columns of an edge list.
    Edges(EdgeColumns),
}

/// The kinds of the files that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Uses {
    /// CSV and edge lists, which may have headers.
    lines: bool,
    /// CSV, Parquet and Arrow.
    lists: bool,
    /// Files of numbers, apart from update streams.
    may_miss: bool,
    /// Pictures with a palette.
    palette: bool,
    /// Edge lists.
    edge_list: bool,
    /// Files of any kind.
    files: bool,
    /// Graphs whose weights the setting `weight` concerns.
    weight: bool,
    /// Graphs with weights in a format where one may be missing.
    may_lack_weights: bool,
    /// Edge lists whose column of weights has its own scale.
    scaled_weights: bool,
    /// Files whose codes or names may be shared.
    codes: bool,
    /// Numbers that were laid out as fields.
    fields: bool,
    /// The coordinates of the pixels of the last map that has them.
    map: Option<Transform>,
}

/// A setting that warns if no file uses it: its name, the files that it is for, and whether they
/// are among those that were read.
type Concern = (&'static str, &'static str, fn(Uses) -> bool);

/// The scale of all numbers: the reader of a file notes that it has none.
const SCALE: Concern = ("scale", "the values of files", |it| it.files);

/// The other settings. Other places report unused widths `h=` and `b=`.
const CONCERNS: [Concern; 13] = [
    ("texts", "CSV, Parquet and Arrow files, and edge lists", |it| it.lists || it.edge_list),
    ("order", "CSV, Parquet and Arrow files, and edge lists", |it| it.lists || it.edge_list),
    ("scale", "fields of CSV, Parquet and Arrow files, and the weights of edge lists", |it| {
        it.lists || it.scaled_weights
    }),
    ("empty", "CSV, Parquet and Arrow files, edge lists, JSON, GraphML, GML and Pajek", |it| {
        it.lists || it.may_lack_weights
    }),
    ("header", "CSV files and edge lists", |it| it.lines),
    ("from", "edge lists", |it| it.edge_list),
    ("to", "edge lists", |it| it.edge_list),
    ("times", "edge lists", |it| it.edge_list),
    ("weight", "edge lists, JSON, GraphML and GML, or `weight=none` for graphs", |it| it.weight),
    ("nodata", "files of numbers", |it| it.may_miss),
    ("palette", "PNG pictures with a palette", |it| it.palette),
    ("widths", "the fields of files of numbers", |it| it.fields),
    ("codes", "parameters from graphs and files of numbers", |it| it.codes),
];

/// The relation of the codes and offsets of fields to those of the fields of other parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codes {
    /// Every field has different ones; fields of one width whose values a program could compare are
    /// refused.
    #[default]
    Unsaid,
    /// Every field has different ones, and the program does not compare them.
    Own,
    /// Equal values have the same number in all fields.
    Shared,
}

/// The help text about settings.
pub const SETTINGS_HELP: &str = "\
Settings for files, given like parameters:
  scale=NUMBER  multiply every value of a file by NUMBER and round to an integer;
                `scale=price:100` is for one field of a CSV file or edge list
  widths=A,B,…  widths of the fields of numbers in bits, in order
  texts=A,B,…   fields of a CSV file that contain texts, even if like numbers
  order=sorted  codes of texts ordered by their characters, not by appearance
  codes=shared  equal values have the same bits in all fields, to be compared;
                `codes=own` if a program does not compare fields
  header=no     the first line of a CSV file is a record; `header=yes`: a header
  empty=VALUE   default for a missing number, date or time in a CSV file
  nodata=NUMBER number of a file for a missing value: it becomes all ones;
                `nodata=nan`: an empty cell, a null or NaN is one
  palette=index read a PNG picture with a palette as colour indices, not colours
  from=COLUMN   column of an edge list with the vertex that an arc leaves, by name
                or number; by default `from`, `source` and similar, or the first
  to=COLUMN     the same for the vertex that it enters
  weight=COLUMN the same for the weight, also an attribute of other formats;
                `weight=none` reads no weights
  times=skip    skip the times after the weights of an edge list
  transform=A,… six numbers of a world file: the coordinates of the pixels in
                GeoJSON files; without it, those of the last GeoTIFF map
  h=BITS        width of weights and distances, in graphs and update streams
  b=BITS        width of the codes of vertices";

/// The names that are settings unless a parameter has them.
pub const SETTINGS: [&str; 16] = [
    "scale",
    "widths",
    "texts",
    "order",
    "codes",
    "header",
    "empty",
    "nodata",
    "palette",
    "from",
    "to",
    "weight",
    "times",
    "transform",
    "h",
    "b",
];

/// Settings for the conversion of data to values of a program, and for files that are written; the
/// others concern the reading of files.
const OF_VALUES: [&str; 5] = ["widths", "codes", "transform", "h", "b"];

impl Settings {
    /// Returns the settings `NAME=VALUE` of a file that is not for a program.
    ///
    /// # Errors
    /// E0603 if the name is unknown, E0605 if a value is invalid or given twice, E0608 if it is not
    /// `NAME=VALUE`.
    pub fn of_reading(arguments: &[String]) -> Result<Settings, Diagnostic> {
        let known = || SETTINGS.into_iter().filter(|name| !OF_VALUES.contains(name));
        let mut settings = Settings::default();
        let mut given = Vec::new();
        for argument in arguments {
            let (name, value) = arg_value::split(argument)?;
            if given.contains(&name) {
                let message = format!("`{name}` is given twice");
                return Err(Diagnostic::new(Code::BadArgument, message));
            }
            given.push(name);
            if OF_VALUES.contains(&name) || !settings.give(name, value)? {
                let message = format!("unknown setting `{name}` for reading a file");
                let note = format!("available settings: {}", text::quoted_list(known()));
                let diagnostic = Diagnostic::new(Code::NoSuchParameter, message).note(note);
                let meant = did_you_mean(name, known());
                let help = meant.map(|meant| format!("did you mean `{meant}=…`?"));
                return Err(help.into_iter().fold(diagnostic, Diagnostic::help));
            }
        }
        Ok(settings)
    }

    /// Splits `[LAYOUT] [NAME=VALUE …]`, which a program gives to `read`, and applies the settings;
    /// returns the layout, if there is one.
    ///
    /// # Errors
    /// E0605 if a value is invalid.
    pub(crate) fn take_after_layout<'t>(
        &mut self,
        text: &'t str,
    ) -> Result<Option<&'t str>, Diagnostic> {
        let mut layout = text.trim();
        let mut taken = Vec::new();
        while let Some((name, value)) = layout.rsplit(char::is_whitespace).next().and_then(setting)
        {
            layout = layout[..layout.len() - name.len() - value.len() - 1].trim_end();
            taken.push((name, value));
        }
        let has_layout = !layout.is_empty() || taken.is_empty();
        for (name, value) in taken.into_iter().rev() {
            self.take(name, value)?;
        }
        Ok(has_layout.then_some(layout))
    }

    /// Records the contents of a file that was read with these settings.
    pub(crate) fn note_file(&self, file: &str, loaded: &LoadedFile) {
        let LoadedFile { format, data, scale, columns, transform, .. } = loaded;
        let format = *format;
        let mut uses = self.used.get();
        uses.files = true;
        uses.map = transform.or(uses.map);
        let (is_csv, is_stream) = (format == Format::Csv, format == Format::Updates);
        uses.lines |= is_csv || format == Format::EdgeList;
        uses.lists |= is_csv || matches!(format, Format::Parquet | Format::Arrow);
        uses.edge_list |= format == Format::EdgeList || (is_csv && matches!(data, Data::Graph(_)));
        if let Data::Graph(graph) = data {
            let has_names = matches!(
                format,
                Format::EdgeList
                    | Format::Csv
                    | Format::NodeLink
                    | Format::GraphMl
                    | Format::Gml
                    | Format::Parquet
                    | Format::Arrow
            );
            uses.may_lack_weights |= (has_names || format == Format::Pajek) && graph.weighted;
            uses.codes |= self.codes != Codes::Unsaid;
            uses.weight |= has_names || !self.edge_fields().reads_weights();
            uses.scaled_weights |= scale.is_some() && !self.field_scales.is_empty();
        }
        let mut list = columns.clone().map(Columns::Edges);
        if let Data::Numbers(numbers) = data {
            if is_csv || matches!(format, Format::Parquet | Format::Arrow) {
                let names = numbers.fields.iter().map(|field| field.name.clone());
                list = Some(Columns::Fields(names.collect()));
            }
            uses.codes |= self.codes != Codes::Unsaid;
            uses.may_miss |= !is_stream;
            let has_indices = numbers.fields.iter().any(|field| field.name == "index");
            uses.palette |= format == Format::Png && (has_indices || !self.palette_indices);
        }
        if !(self.texts.is_empty() && self.field_scales.is_empty()) {
            self.lists.borrow_mut().extend(list.map(|list| (file.to_owned(), list)));
        }
        self.used.set(uses);
    }

    /// Records that a file with a table is read.
    pub(crate) fn note_table(&self) {
        self.used.set(Uses { files: true, ..self.used.get() });
    }

    /// Records that numbers were laid out as fields, with the given widths if there are any.
    pub(crate) fn note_fields(&self) {
        self.used.set(Uses { fields: true, ..self.used.get() });
    }

    /// Checks the columns in `texts=` and `scale=`, after all files were read.
    ///
    /// # Errors
    /// E0605 if none of these files has a column of that name.
    pub fn check_columns(&self) -> Result<(), FileError> {
        self.unknown_columns().next().map_or(Ok(()), Err)
    }

    /// Returns an error for each column in a setting that no list has.
    fn unknown_columns(&self) -> impl Iterator<Item = FileError> {
        let texts = self.texts.iter().map(|name| ("texts", name));
        let scaled = self.field_scales.iter().map(|(name, _)| ("scale", name));
        texts.chain(scaled).filter_map(|(setting, name)| {
            let lists = self.lists.borrow();
            let (file, columns) = lists.first()?;
            let fits = |columns: &Columns| match columns {
                Columns::Fields(names) => names.contains(name),
                Columns::Edges(edges) => edges.find(name).is_some(),
            };
            let is_known = lists.iter().any(|(_, columns)| fits(columns));
            (!is_known).then(|| unknown_column(file, columns, setting, name))
        })
    }

    /// Warns about each given setting that no file used, and about columns in settings that no file
    /// has, after all files were read.
    pub fn warn_unused(&self, observer: &dyn Observer) {
        for error in self.unknown_columns() {
            observer.warning(&error.message);
        }
        for (name, files, _) in
            self.given.iter().filter(|(.., is_among)| !is_among(self.used.get()))
        {
            observer.warning(&format!("`{name}=` is unused: it is for {files}"));
        }
    }

    /// Applies a setting of the user, who is warned if no file uses it; returns `false` if the name
    /// is unknown.
    ///
    /// # Errors
    /// E0605 if the value is invalid.
    pub fn give(&mut self, name: &str, value: &str) -> Result<bool, Diagnostic> {
        let is_known = self.take(name, value)?;
        let is_general = name == "scale" && !value.contains(':');
        let concerns = CONCERNS.iter().filter(|(of, ..)| !is_general && *of == name);
        self.given.extend(concerns.chain(is_general.then_some(&SCALE)));
        Ok(is_known)
    }

    /// Applies a setting; returns `false` if the name is unknown.
    ///
    /// # Errors
    /// E0605 if the value is invalid.
    pub fn take(&mut self, name: &str, value: &str) -> Result<bool, Diagnostic> {
        match name {
            "scale" => {
                let of_field = |part: &str| {
                    let (field, scale) = part.rsplit_once(':')?;
                    let field = Some(field.trim().to_owned()).filter(|name| !name.is_empty())?;
                    Some((field, Decimal::parse_positive(scale)?))
                };
                match Decimal::parse_positive(value) {
                    Some(scale) => self.scale = Some(scale),
                    None => match value.split(',').map(of_field).collect::<Option<Vec<_>>>() {
                        Some(scales) => {
                            let twice = scales.iter().enumerate().find(|(idx, (field, _))| {
                                scales[..*idx].iter().any(|(other, _)| other == field)
                            });
                            if let Some((_, (field, _))) = twice {
                                let field = text::one_line(field);
                                let message = format!("two scales for `{field}` in `scale=`");
                                return Err(Diagnostic::new(Code::BadArgument, message));
                            }
                            self.field_scales = scales;
                        }
                        None => {
                            let help = "a scale must be a positive number: `scale=100`, \
                                `scale=0.5`, `scale=price:100` for one field of a CSV file";
                            return Err(bad(name, value, help));
                        }
                    },
                }
            }
            "widths" => {
                let widths = value.split(',').map(|bits| bits.trim().parse::<usize>());
                match widths.collect::<Result<Vec<usize>, _>>() {
                    Ok(widths) if widths.iter().all(|&bits| bits <= MAX_WIDTH) => {
                        self.widths = Some(widths);
                    }
                    Ok(_) | Err(_) => {
                        let help = format!(
                            "write the width of every field in bits, for example `widths=8,4`: 0 \
                                to {MAX_WIDTH}"
                        );
                        return Err(bad(name, value, &help));
                    }
                }
            }
            "texts" => {
                self.texts = value.split(',').map(|name| name.trim().to_owned()).collect();
                if self.texts.iter().any(String::is_empty) {
                    return Err(bad(name, value, "write the names of fields: `texts=zip,phone`"));
                }
            }
            "order" => match value {
                "sorted" => self.sorted = true,
                "first" => self.sorted = false,
                _ => return Err(bad(name, value, "write `order=sorted` or `order=first`")),
            },
            "codes" => match value {
                "shared" => self.codes = Codes::Shared,
                "own" => self.codes = Codes::Own,
                _ => return Err(bad(name, value, "write `codes=shared` or `codes=own`")),
            },
            "header" => match value {
                "yes" => self.header = Some(true),
                "no" => self.header = Some(false),
                _ => return Err(bad(name, value, "write `header=yes` or `header=no`")),
            },
            "times" => match value {
                "skip" => self.skip_times = true,
                _ => return Err(bad(name, value, "write `times=skip`")),
            },
            "from" | "to" | "weight" if value.is_empty() => {
                return Err(bad(name, value, "write the name of a column, or its number"));
            }
            "from" => self.from = Some(value.to_owned()),
            "to" => self.to = Some(value.to_owned()),
            "weight" => self.weight = Some(value.to_owned()),
            "empty" if !is_filler(value) => {
                let help = "write a number, a date or a time: `empty=0`, `empty=2024-05-01`, \
                    `empty=12:30`";
                return Err(bad(name, value, help));
            }
            "empty" => self.empty = Some(value.to_owned()),
            "nodata" if value.eq_ignore_ascii_case("nan") => self.nan_is_missing = true,
            "nodata" => match Decimal::parse(value) {
                Some(number) => self.nodata = Some(number),
                None => {
                    return Err(bad(name, value, "write a number, for example `nodata=-32768`"));
                }
            },
            "palette" => match value {
                "index" => self.palette_indices = true,
                "colours" | "colors" => self.palette_indices = false,
                _ => return Err(bad(name, value, "write `palette=index` or `palette=colours`")),
            },
            "transform" => match transform(value) {
                Some(transform) => self.style.transform = Some(transform),
                None => {
                    let help = "write the six numbers of a world file with commas, for example \
                        `transform=30,0,0,-30,500015,5999985`";
                    let is_list = six_numbers(value).is_some();
                    let why = "the first four numbers A, D, B, E place all pixels on a line, since \
                        A·E = B·D";
                    let fault = bad(name, value, help);
                    return Err(if is_list { fault.note(why) } else { fault });
                }
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns how files are written: pixels have the coordinates of the setting, or else of the
    /// last map that was read.
    pub fn write_style(&self) -> WriteStyle {
        let transform = self.style.transform.or(self.used.get().map);
        WriteStyle { transform, ..self.style }
    }

    /// Returns the rules for reading the fields of lists.
    pub fn field_rules(&self) -> FieldRules<'_> {
        FieldRules {
            texts: &self.texts,
            scales: &self.field_scales,
            sorted: self.sorted,
            empty: self.empty.as_deref(),
            header: self.header,
        }
    }

    /// Returns the fields of edge lists.
    pub fn edge_fields(&self) -> EdgeFields<'_> {
        EdgeFields {
            from: self.from.as_deref(),
            to: self.to.as_deref(),
            weight: self.weight.as_deref(),
        }
    }

    /// Marks the missing values in these numbers, by the scale of each field.
    pub fn mark_missing(&self, numbers: &mut Numbers) {
        let Some(nodata) = self.nodata else { return };
        for field in &mut numbers.fields {
            let scale = match &field.meaning {
                Meaning::Scaled(scale) => Some(*scale),
                Meaning::Number => self.scale,
                Meaning::Texts(_) | Meaning::Date | Meaning::Clock | Meaning::DateTime => continue,
            };
            let number = match scale {
                Some(scale) => nodata.scaled(scale),
                None => nodata.to_whole(),
            };
            field.nodata = number.filter(|number| field.values.contains(number));
        }
    }
}

/// Parses the six numbers of a world file.
fn transform(value: &str) -> Option<Transform> {
    Transform::of_world_file(six_numbers(value)?)
}

fn six_numbers(value: &str) -> Option<[f64; 6]> {
    let numbers: Result<Vec<f64>, _> = value.split(',').map(|one| one.trim().parse()).collect();
    let numbers: [f64; 6] = numbers.ok()?.try_into().ok()?;
    Some(numbers).filter(|numbers| numbers.iter().all(|number| number.is_finite()))
}

/// Splits a setting after a layout. The widths of graphs belong to the layout, and codes concern
/// several fields.
fn setting(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_known = SETTINGS.contains(&name) && !["h", "b", "codes", "transform"].contains(&name);
    is_known.then_some((name, value))
}

/// Returns whether a value can stand for an empty field of a number, a date or a time.
fn is_filler(value: &str) -> bool {
    let moments = [Meaning::Date, Meaning::Clock, Meaning::DateTime];
    // A list with semicolons may have decimal commas.
    Decimal::parse(&value.replacen(',', ".", 1)).is_some()
        || moments.iter().any(|moment| moment.number(value).is_some())
}

/// Returns the error for a name in `texts=` or `scale=` that is not one of these columns.
fn unknown_column(file: &str, columns: &Columns, setting: &str, name: &str) -> FileError {
    let shown = text::one_line(name);
    let (what, names) = match columns {
        Columns::Fields(names) => ("field", names),
        Columns::Edges(edges) => ("column", &edges.names),
    };
    let message = format!("unknown {what} `{shown}` in `{setting}=`");
    let error = FileError::new(Code::BadArgument, file, message);
    let quoted = names.iter().map(|name| format!("`{}`", text::one_line(name)));
    let quoted = text::listed(quoted, text::MAX_LISTED);
    let error = error.note(format!("the {what}s are {quoted}"));
    match did_you_mean(name, names.iter().map(String::as_str)) {
        Some(meant) => error.help(format!("did you mean `{}`?", text::one_line(meant))),
        None => error,
    }
}

fn bad(name: &str, value: &str, help: &str) -> Diagnostic {
    let message = match value {
        "" => format!("no value after the setting `{name}=`"),
        _ => format!("`{}` is not a valid value of the setting `{name}`", text::one_line(value)),
    };
    Diagnostic::new(Code::BadArgument, message).help(help)
}

#[cfg(test)]
mod tests {
    use star_io::{Field, Shape};

    use super::*;

    #[test]
    fn settings_follow_the_layout_of_a_program() {
        let split = |text| {
            let mut settings = Settings::default();
            let layout = settings.take_after_layout(text).unwrap();
            (layout, settings.scale, settings.header)
        };
        let ten = Decimal::parse_positive("10");
        assert_eq!(split("records"), (Some("records"), None, None));
        assert_eq!(split(" records scale=10 "), (Some("records"), ten, None));
        assert_eq!(split("scale=10  header=no"), (None, ten, Some(false)));
        assert_eq!(split("field:a b scale=10"), (Some("field:a b"), ten, None));
        assert_eq!(split("left scale=10 b=6"), (Some("left scale=10 b=6"), None, None));
        assert_eq!(split("left b=6 scale=10"), (Some("left b=6"), ten, None));
        assert_eq!(split(""), (Some(""), None, None));
        let error = Settings::default().take_after_layout("records scale=-1").unwrap_err();
        assert_eq!(error.code, Code::BadArgument);
    }

    #[test]
    fn settings_are_parsed_and_checked() {
        let mut settings = Settings::default();
        assert_eq!(settings.take("scale", "2.5"), Ok(true));
        assert_eq!(settings.take("widths", "8, 4"), Ok(true));
        assert_eq!(settings.take("width", "8"), Ok(false));
        for (name, value) in [
            ("texts", "zip, phone"),
            ("order", "sorted"),
            ("empty", "0"),
            ("nodata", "-32768"),
            ("palette", "index"),
            ("header", "no"),
            ("codes", "shared"),
            ("times", "skip"),
            ("transform", "30, 0,0,-30,500015,5999985"),
        ] {
            assert_eq!(settings.take(name, value), Ok(true));
        }
        let texts = ["zip", "phone"].map(str::to_owned);
        assert_eq!(settings.take("scale", "a:10, b:2:100"), Ok(true));
        let scales = [("a", "10"), ("b:2", "100")].map(|(name, scale)| {
            (name.to_owned(), Decimal::parse_positive(scale).expect("a number"))
        });
        let rules = FieldRules {
            texts: &texts,
            scales: &scales,
            sorted: true,
            empty: Some("0"),
            header: Some(false),
        };
        assert_eq!(settings.field_rules(), rules);
        assert_eq!(settings.widths, Some(vec![8, 4]));
        assert!(settings.palette_indices);
        // The number is that of the file: it is scaled like the others.
        let field = Field::new("height", None, vec![5, -81920]);
        let mut numbers = Numbers { shape: Shape::List(2), fields: vec![field] };
        settings.mark_missing(&mut numbers);
        assert_eq!(numbers.fields[0].nodata, Some(-81920));
        for (name, value) in [
            ("scale", "0"),
            ("scale", "a:10,5"),
            ("scale", "-1"),
            ("widths", ""),
            ("widths", "5000"),
            ("order", "up"),
            ("nodata", "none"),
            ("palette", "2"),
            ("header", "maybe"),
            ("codes", "equal"),
            ("times", "keep"),
            ("transform", "30,0,0,-30,500015"),
            ("transform", "0,0,0,-30,1,1"),
            ("transform", "nan,0,0,-30,1,1"),
        ] {
            assert_eq!(settings.take(name, value).unwrap_err().code, Code::BadArgument, "{value}");
        }
    }
}
