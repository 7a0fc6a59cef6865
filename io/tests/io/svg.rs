//! SVG drawings.

use star_base::Code;
use star_io::{Field, Format, Numbers, OutputRef, Shape, write};
use star_value::{BitTable, BitsRef};

use crate::support::refuses;

fn places(names: [&str; 2], shape: Shape) -> Numbers {
    let values = [vec![1, 40, 17], vec![9, 2, 30]];
    let field = |(name, values): (&str, Vec<i64>)| Field::new(name, None, values);
    Numbers { shape, fields: names.into_iter().zip(values).map(field).collect() }
}

#[test]
fn list_of_places_is_a_line_over_their_picture() {
    let mut text = Vec::new();
    let line = places(["x", "y"], Shape::List(3));
    write(Format::Svg, OutputRef::Numbers(&line), &mut text).unwrap();
    assert_eq!(
        String::from_utf8(text).unwrap(),
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"30\" viewBox=\"0.5 0.5 40 30\">\n\
         <polyline fill=\"none\" stroke=\"red\" stroke-width=\"2\" points=\"1,9 40,2 17,30\"/>\n</svg>\n"
    );
}

#[test]
fn other_data_cannot_be_drawn() {
    let table = BitTable::zeros(2, 2).unwrap();
    let [other, grid] = [
        places(["y", "x"], Shape::List(3)),
        places(["x", "y"], Shape::Grid { height: 3, width: 1 }),
    ];
    let values = [
        OutputRef::Bits(BitsRef::from(&table)),
        OutputRef::Numbers(&other),
        OutputRef::Numbers(&grid),
    ];
    for value in values {
        let refused = write(Format::Svg, value, &mut Vec::new()).unwrap_err();
        assert_eq!(refused.code, Code::NoSuchLayout, "{refused}");
    }
    refuses(Format::Svg, &[(b"<svg/>", Code::BadFormat, 1, 1, "cannot read SVG drawings")]);
}
