//! Settings for the reading of files, given like parameters: `scale=100`, `widths=8,4`.

use star_base::{Code, Diagnostic};
use star_io::Decimal;

/// Widest field, in bits.
const MAX_WIDTH: usize = 4096;

/// What the user says about files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What the values of files are multiplied with.
    pub scale: Option<Decimal>,
    /// Bits of the fields of numbers, in order.
    pub widths: Option<Vec<usize>>,
}

/// What `--help` says about settings.
pub const SETTINGS_HELP: &str = "\
Settings for files, given like parameters:
  scale=NUMBER  every value of a file is multiplied with it and rounded to a whole weight or number
  widths=A,B,…  bits of the fields of numbers, in order
  h=BITS        width of weights and distances, for layouts of graphs and update streams
  b=BITS        width of the codes of vertices";

impl Settings {
    /// Takes a setting; `false` if there is none of this name.
    ///
    /// # Errors
    /// E0605 if the value does not suit.
    pub fn take(&mut self, name: &str, value: &str) -> Result<bool, Diagnostic> {
        match name {
            "scale" => match Decimal::parse_positive(value) {
                Some(scale) => self.scale = Some(scale),
                None => {
                    let help = "a scale is a positive number: `scale=100` or `scale=0.5`";
                    return Err(bad(name, value, help));
                }
            },
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
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn bad(name: &str, value: &str, help: &str) -> Diagnostic {
    let message =
        format!("`{}` does not suit the setting `{name}`", star_base::text::one_line(value));
    Diagnostic::new(Code::BadArgument, message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_names_and_bounds() {
        let mut settings = Settings::default();
        assert_eq!(settings.take("scale", "2.5"), Ok(true));
        assert_eq!(settings.take("widths", "8, 4"), Ok(true));
        assert_eq!(settings.take("width", "8"), Ok(false));
        assert_eq!(settings.widths, Some(vec![8, 4]));
        for (name, value) in [("scale", "0"), ("scale", "-1"), ("widths", ""), ("widths", "5000")] {
            assert_eq!(settings.take(name, value).unwrap_err().code, Code::BadArgument, "{value}");
        }
    }
}
