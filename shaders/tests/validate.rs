//! Every shader is valid WGSL, and its barriers stand where control is the same in all threads.

use naga::valid::{Capabilities, ValidationFlags, Validator};

#[test]
fn the_control_unit_is_valid_for_every_size_of_workgroup() {
    for threads in [1, 8, 128, 256, 1024] {
        is_valid(&star_shaders::control_unit(threads));
    }
}

#[test]
fn natives_are_valid() {
    is_valid(&star_shaders::natives::closure());
}

fn is_valid(text: &str) {
    let module = naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
}
