//! Backends selected on the command line.

use std::rc::Rc;

use star_base::{Code, Diagnostic, did_you_mean};
pub use star_harness::Argument;
use star_harness::Machine;
use star_harness::backends::{Availability, BACKENDS, BackendSpec};
pub use star_harness::backends::{DeviceOptions, GpuMode};
use star_vm::{Capabilities, CompileOptions, DynBackend};

use star_base::text;

use crate::report::Reporter;

/// The name of the default backend.
pub const DEFAULT: &str = "cpu";

/// The name that lets the toolchain choose the backend.
pub const AUTO: &str = "auto";

/// An available backend.
#[derive(Clone)]
pub struct Engine {
    /// Its identity and capacity.
    pub caps: Capabilities,
    /// The backend.
    pub backend: Rc<dyn DynBackend>,
}

impl Engine {
    /// Returns the backend with this name.
    ///
    /// # Errors
    /// E0607 with the available names, or with the reason why the backend is unavailable.
    pub fn find(name: &str) -> Result<Engine, Diagnostic> {
        Engine::find_on(name, &DeviceOptions::default())
    }

    /// Returns the backend with this name, on the requested device.
    ///
    /// # Errors
    /// Same as [`Engine::find`].
    pub fn find_on(name: &str, wanted: &DeviceOptions<'_>) -> Result<Engine, Diagnostic> {
        match BackendSpec::find(name).map(|entry| entry.open_on(wanted)) {
            Some(Availability::Ready(backend)) => Ok(Engine { caps: backend.caps(), backend }),
            Some(Availability::Unavailable { reason }) => {
                let message = format!("backend `{name}` is not available: {reason}");
                Err(Diagnostic::new(Code::NoBackend, message).note(ready_ones()))
            }
            None => {
                let message = format!("unknown backend `{}`", text::one_line(name));
                let diagnostic = Diagnostic::new(Code::NoBackend, message).note(ready_ones());
                Err(match did_you_mean(name, ready_names().iter().copied()) {
                    Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                    None => diagnostic,
                })
            }
        }
    }

    /// Returns the machine that runs programs on this backend.
    pub fn machine(&self, options: CompileOptions) -> Machine {
        Machine { name: self.caps.name, backend: Rc::clone(&self.backend), options }
    }
}

/// Warns about options for a device if none of the backends uses one.
pub fn warn_if_unused(wanted: &DeviceOptions<'_>, engines: &[Engine], reporter: &Reporter) {
    if engines.iter().any(|engine| engine.caps.is_adapter) {
        return;
    }
    let options =
        [("--adapter", wanted.adapter.is_some()), ("--gpu-mode", wanted.mode != GpuMode::Auto)];
    for (option, _) in options.into_iter().filter(|(_, is_given)| *is_given) {
        reporter
            .warning(&format!("`{option}` is unused: no selected backend uses a graphics card"));
    }
}

/// Returns the names of the backends in this build. Whether the device of a backend exists is known
/// only when it is opened.
pub fn ready_names() -> Vec<&'static str> {
    BACKENDS.iter().filter(|entry| entry.in_build).map(|entry| entry.name).collect()
}

fn ready_ones() -> String {
    format!("available backends: {}", text::quoted_list(ready_names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str) -> Diagnostic {
        match Engine::find(name) {
            Err(diagnostic) => diagnostic,
            Ok(engine) => panic!("{:?}", engine.caps),
        }
    }

    #[test]
    fn unknown_backend_lists_available_names() {
        assert!(Engine::find(DEFAULT).is_ok());
        let diagnostic = refused("referense");
        assert_eq!(diagnostic.code, Code::NoBackend);
        assert_eq!(diagnostic.notes, [ready_ones()]);
        assert_eq!(diagnostic.help, ["did you mean `reference`?"]);
    }

    #[test]
    fn unavailable_backend_reports_the_reason() {
        let found = Engine::find_on(
            "gpu",
            &DeviceOptions { adapter: Some("no adapter of this name"), ..DeviceOptions::default() },
        );
        let Err(diagnostic) = found else { panic!("an adapter of this name") };
        assert_eq!(diagnostic.code, Code::NoBackend);
        assert!(diagnostic.message.contains("is not available: no"), "{}", diagnostic.message);
    }
}
