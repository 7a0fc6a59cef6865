//! Settings for the reading of files, given like parameters: `scale=100`, `widths=8,4`.

use star_base::{Code, Diagnostic, did_you_mean, text};
use star_io::{Decimal, FieldRules, Meaning, Numbers};

use crate::arg_value;

/// Widest field, in bits.
const MAX_WIDTH: usize = 4096;

/// What the user says about files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What the values of files are multiplied with.
    pub scale: Option<Decimal>,
    /// What those of single fields of lists are multiplied with.
    pub field_scales: Vec<(String, Decimal)>,
    /// Bits of the fields of numbers, in order.
    pub widths: Option<Vec<usize>>,
    /// Fields of lists that hold texts, whatever these look like.
    pub texts: Vec<String>,
    /// Do the codes of texts follow the order of their characters?
    pub sorted: bool,
    /// What stands where a field of a list is empty.
    pub empty: Option<String>,
    /// The number of a file that says that there is none.
    pub nodata: Option<Decimal>,
    /// Is a picture with a palette read as the numbers of its colours?
    pub palette_indices: bool,
}

/// What `--help` says about settings.
pub const SETTINGS_HELP: &str = "\
Settings for files, given like parameters:
  scale=NUMBER  every value of a file is multiplied with it and rounded to a whole weight or number;
                `scale=price:100` is for one field of a CSV file
  widths=A,B,…  bits of the fields of numbers, in order
  texts=A,B,…   fields of a CSV file that hold texts, even if these look like numbers
  order=sorted  codes of texts in the order of their characters, not of their first appearance
  empty=VALUE   what stands in a CSV file where a number, date or time is missing
  nodata=NUMBER the number of a file that says that there is none: it becomes all ones
  palette=index a PNG picture with a palette as the numbers of its colours, not as these
  h=BITS        width of weights and distances, for layouts of graphs and update streams
  b=BITS        width of the codes of vertices";

/// The names that are settings where no parameter has them.
pub const SETTINGS: [&str; 9] =
    ["scale", "widths", "texts", "order", "empty", "nodata", "palette", "h", "b"];

/// Those that say how data become values of a program; the others say how a file is read.
const OF_VALUES: [&str; 3] = ["widths", "h", "b"];

impl Settings {
    /// The settings `NAME=VALUE` of a file that no program takes.
    ///
    /// # Errors
    /// E0603 if there is none of this name, E0605 if a value does not suit or there are two, E0608 if it is no `NAME=VALUE`.
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
            if OF_VALUES.contains(&name) || !settings.take(name, value)? {
                let message = format!("there is no setting `{name}` for the reading of a file");
                let note = format!("there are {}", text::quoted_list(known()));
                let diagnostic = Diagnostic::new(Code::NoSuchParameter, message).note(note);
                let meant = did_you_mean(name, known());
                let help = meant.map(|meant| format!("did you mean `{meant}=…`?"));
                return Err(help.into_iter().fold(diagnostic, Diagnostic::help));
            }
        }
        Ok(settings)
    }

    /// Takes a setting; `false` if there is none of this name.
    ///
    /// # Errors
    /// E0605 if the value does not suit.
    pub fn take(&mut self, name: &str, value: &str) -> Result<bool, Diagnostic> {
        match name {
            "scale" => {
                let of_field = |part: &str| {
                    let (field, scale) = part.rsplit_once(':')?;
                    Some((field.trim().to_owned(), Decimal::parse_positive(scale)?))
                };
                match Decimal::parse_positive(value) {
                    Some(scale) => self.scale = Some(scale),
                    None => match value.split(',').map(of_field).collect() {
                        Some(scales) => self.field_scales = scales,
                        None => {
                            let help = "a scale is a positive number: `scale=100`, `scale=0.5`, \
                                        `scale=price:100` for one field of a CSV file";
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
                            "write the bits of every field, as in `widths=8,4`: 0 to {MAX_WIDTH}"
                        );
                        return Err(bad(name, value, &help));
                    }
                }
            }
            "texts" => self.texts = value.split(',').map(|name| name.trim().to_owned()).collect(),
            "order" => match value {
                "sorted" => self.sorted = true,
                "first" => self.sorted = false,
                _ => return Err(bad(name, value, "write `order=sorted` or `order=first`")),
            },
            "empty" => self.empty = Some(value.to_owned()),
            "nodata" => match Decimal::parse(value) {
                Some(number) => self.nodata = Some(number),
                None => return Err(bad(name, value, "write a number, as in `nodata=-32768`")),
            },
            "palette" => match value {
                "index" => self.palette_indices = true,
                "colours" | "colors" => self.palette_indices = false,
                _ => return Err(bad(name, value, "write `palette=index` or `palette=colours`")),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// How the fields of lists are read.
    pub fn field_rules(&self) -> FieldRules<'_> {
        FieldRules {
            texts: &self.texts,
            scales: &self.field_scales,
            sorted: self.sorted,
            empty: self.empty.as_deref(),
        }
    }

    /// Says which numbers of these there are not, by the scale of each field.
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

fn bad(name: &str, value: &str, help: &str) -> Diagnostic {
    let message = format!("`{}` does not suit the setting `{name}`", text::one_line(value));
    Diagnostic::new(Code::BadArgument, message).help(help)
}

#[cfg(test)]
mod tests {
    use star_io::{Field, Shape};

    use super::*;

    #[test]
    fn settings_have_names_and_bounds() {
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
        ] {
            assert_eq!(settings.take(name, value), Ok(true));
        }
        let texts = ["zip", "phone"].map(str::to_owned);
        assert_eq!(settings.take("scale", "a:10, b:2:100"), Ok(true));
        let scales = [("a", "10"), ("b:2", "100")].map(|(name, scale)| {
            (name.to_owned(), Decimal::parse_positive(scale).expect("a number"))
        });
        let rules = FieldRules { texts: &texts, scales: &scales, sorted: true, empty: Some("0") };
        assert_eq!(settings.field_rules(), rules);
        assert_eq!(settings.widths, Some(vec![8, 4]));
        assert!(settings.palette_indices);
        // The number is that of the file: it is multiplied as the others are.
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
        ] {
            assert_eq!(settings.take(name, value).unwrap_err().code, Code::BadArgument, "{value}");
        }
    }
}
