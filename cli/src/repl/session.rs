//! A session without a terminal: text goes in, [`Event`](super::event::Event)s come out.

use star_compiler::session::Environment;

use super::machine::Machine;
use super::view::View;
use crate::flags::Flags;

/// Definitions, variables and their values, and settings.
pub(crate) struct Session {
    environment: Environment,
    machine: Box<dyn Machine>,
    flags: Flags,
}

impl Session {
    /// The variables, to be looked at.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            environment: &self.environment,
            machine: &*self.machine,
            interrupt: &self.flags.interrupt,
        }
    }
}
