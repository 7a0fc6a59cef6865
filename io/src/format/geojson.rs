//! GeoJSON (RFC 7946): a route or line through places, for maps. Write only.
//!
//! A list with the fields `x` and `y`, pixels from 1, becomes one line, or a point if it has one
//! place; other fields become properties, a list of numbers or texts each. A [`Transform`] gives
//! the coordinates of the pixels.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use star_base::Code;

use super::{ReadResult, cannot_hold, cannot_write};
use crate::data::OutputRef;
use crate::error::{Fault, FileError};
use crate::numbers::{Field, Shape};
use crate::options::Transform;
use crate::scan::Scanner;
use crate::source::Source;

const FORMAT: &str = "GeoJSON";

/// The writable values, for messages.
const HOLDS: &str = "lists with the fields `x` and `y`";

/// Rejects all files.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    scanner.peek()?;
    Err(scanner.here(Code::BadFormat, "cannot read GeoJSON files, only write them"))
}

/// Writes a list of places in pixels.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    write_placed(value, None, out)
}

/// Writes a list of places in the coordinates of a map.
pub(crate) fn write_placed(
    value: OutputRef<'_>,
    transform: Option<Transform>,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let refused = || Box::new(cannot_hold(value, FORMAT, HOLDS));
    let OutputRef::Numbers(numbers) = value else { return Err(refused()) };
    numbers.check("")?;
    let field = |name: &str| numbers.fields.iter().find(|field| field.name == name);
    let (Shape::List(_), Some(x), Some(y)) = (numbers.shape, field("x"), field("y")) else {
        return Err(refused());
    };
    let place = |(&x, &y): (&i64, &i64)| match transform {
        Some(transform) => {
            let place = transform.of_pixel(x as f64, y as f64);
            let is_finite = place.iter().all(|coordinate| coordinate.is_finite());
            is_finite.then(|| json!(place)).ok_or_else(|| {
                let message = format!("pixel ({x},{y}) has no finite coordinates");
                Fault::new(FileError::new(Code::CannotWrite, "", message))
            })
        }
        None => Ok(json!([x, y])),
    };
    let places = x.values.iter().zip(&y.values).map(place);
    let mut places: Vec<Value> = places.collect::<Result<_, _>>()?;
    let geometry = match places.len() {
        0 => Value::Null,
        1 => json!({ "type": "Point", "coordinates": places.remove(0) }),
        _ => json!({ "type": "LineString", "coordinates": places }),
    };
    let others = numbers.fields.iter().filter(|field| !["x", "y"].contains(&field.name.as_str()));
    let properties: Map<String, Value> =
        others.map(|field| (field.name.clone(), property(field))).collect();
    let feature = json!({ "type": "Feature", "geometry": geometry, "properties": properties });
    let collection = json!({ "type": "FeatureCollection", "features": [feature] });
    let written: io::Result<()> = writeln!(out, "{collection}");
    written.map_err(|error| cannot_write(&error))
}

/// Returns the values of a field, null for missing ones.
fn property(field: &Field) -> Value {
    let value = |&number: &i64| match field.meaning {
        _ if Some(number) == field.nodata => Value::Null,
        crate::meaning::Meaning::Number => json!(number),
        _ => json!(field.text(number)),
    };
    field.values.iter().map(value).collect()
}
