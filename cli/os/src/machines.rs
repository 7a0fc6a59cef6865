//! Machines selected on the command line.

pub use star::Machine;
pub use star::pipeline::Argument;
pub use star::pipeline::backends::{DeviceOptions, GpuMode};

use crate::report::Reporter;

/// The name of the default backend.
pub const DEFAULT: &str = "cpu";

/// The name that lets the toolchain choose the backend.
pub const AUTO: &str = "auto";

/// Warns about options for a device if none of the machines uses one.
pub fn warn_if_unused(wanted: &DeviceOptions<'_>, machines: &[Machine], reporter: &Reporter) {
    if machines.iter().any(|machine| machine.caps().is_adapter) {
        return;
    }
    let options =
        [("--adapter", wanted.adapter.is_some()), ("--gpu-mode", wanted.mode != GpuMode::Auto)];
    for (option, _) in options.into_iter().filter(|(_, is_given)| *is_given) {
        reporter
            .warning(&format!("`{option}` is unused: no selected backend uses a graphics card"));
    }
}
