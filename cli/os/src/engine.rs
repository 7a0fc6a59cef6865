//! The backend that a command line names.

use std::rc::Rc;

use star_base::{Code, Diagnostic, did_you_mean};
pub use star_harness::Argument;
use star_harness::Machine;
use star_harness::backends::{Availability, BACKENDS, BackendSpec};
pub use star_harness::backends::{DeviceOptions, GpuMode};
use star_vm::{Capabilities, CompileOptions, DynBackend};

use star_base::text;

/// The name of the backend that runs programs unless told otherwise.
pub const DEFAULT: &str = "cpu";

/// The name that leaves the choice to the toolchain.
pub const AUTO: &str = "auto";

/// A backend that is there.
#[derive(Clone)]
pub struct Engine {
    /// What it is and what it can hold.
    pub caps: Capabilities,
    /// The backend.
    pub backend: Rc<dyn DynBackend>,
}

impl Engine {
    /// The backend of this name.
    ///
    /// # Errors
    /// E0607 with the names that there are, or why this one is not there.
    pub fn find(name: &str) -> Result<Engine, Diagnostic> {
        Engine::find_on(name, &DeviceOptions::default())
    }

    /// The backend of this name, on the device that is wanted.
    ///
    /// # Errors
    /// As for [`Engine::find`].
    pub fn find_on(name: &str, wanted: &DeviceOptions<'_>) -> Result<Engine, Diagnostic> {
        match BackendSpec::find(name).map(|entry| entry.open_on(wanted)) {
            Some(Availability::Ready(backend)) => Ok(Engine { caps: backend.caps(), backend }),
            Some(Availability::Unavailable { reason }) => {
                let message = format!("the backend `{name}` is not there: {reason}");
                Err(Diagnostic::new(Code::NoBackend, message).note(ready_ones()))
            }
            None => {
                let message = format!("there is no backend `{}`", text::one_line(name));
                let diagnostic = Diagnostic::new(Code::NoBackend, message).note(ready_ones());
                Err(match did_you_mean(name, ready_names().iter().copied()) {
                    Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                    None => diagnostic,
                })
            }
        }
    }

    /// The backend as it runs programs.
    pub fn machine(&self, options: CompileOptions) -> Machine {
        Machine { name: self.caps.name, backend: Rc::clone(&self.backend), options }
    }
}

/// The names of the backends of this build. Whether the device of one is there shows when it is opened.
pub fn ready_names() -> Vec<&'static str> {
    BACKENDS.iter().filter(|entry| entry.in_build).map(|entry| entry.name).collect()
}

fn ready_ones() -> String {
    format!("this build has {}", text::quoted_list(ready_names()))
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
    fn an_unknown_backend_names_those_there_are() {
        assert!(Engine::find(DEFAULT).is_ok());
        let diagnostic = refused("referense");
        assert_eq!(diagnostic.code, Code::NoBackend);
        assert_eq!(diagnostic.notes, [ready_ones()]);
        assert_eq!(diagnostic.help, ["did you mean `reference`?"]);
    }

    #[test]
    fn a_backend_that_is_not_there_says_why() {
        let found = Engine::find_on(
            "gpu",
            &DeviceOptions { adapter: Some("no adapter of this name"), ..DeviceOptions::default() },
        );
        let Err(diagnostic) = found else { panic!("an adapter of this name") };
        assert_eq!(diagnostic.code, Code::NoBackend);
        assert!(diagnostic.message.contains("is not there: no"), "{}", diagnostic.message);
    }
}
