//! Host of a program under test: it reads files as usual, and collects what the program prints and
//! writes.

use star::pipeline::Printed;
use star_bind::Settings;
use star_ir::Ty;
use star_vm::{Host, HostError};

use star_os::access::Access;
use star_os::files::Console;
use star_os::host::RunHost;
use star_os::output::Output;
use star_value::{BitsRef, Value};

/// The host of a test run.
pub(super) struct TestHost<'a> {
    kept: Printed,
    access: &'a Access,
    console: Console<'a>,
}

impl<'a> TestHost<'a> {
    /// Creates a host without output.
    pub(super) fn new(access: &'a Access, console: Console<'a>) -> Self {
        TestHost { kept: Printed::default(), access, console }
    }

    /// Returns what was printed and written.
    pub(super) fn into_kept(self) -> Printed {
        self.kept
    }
}

impl Host for TestHost<'_> {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        self.kept.print(line)
    }

    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<Value, HostError> {
        if let Some(value) = self.kept.file(file, ty) {
            return Ok(value.clone());
        }
        let mut nowhere = Output::kept();
        let settings = Settings::default();
        let mut host = RunHost::new(&mut nowhere, self.access, self.console, &settings);
        host.read(file, layout, ty, max_bytes)
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        self.access.for_writing(file).map_err(|error| {
            let message = error.to_string();
            HostError { code: error.code, message }
        })?;
        self.kept.files.insert(file.to_owned(), value.into());
        Ok(())
    }
}
