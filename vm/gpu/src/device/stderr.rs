//! Standard error while drivers are loaded, without the messages about a display server.
//!
//! A layer of the Vulkan loader asks the display server for its graphics card. Without a folder for
//! its socket, the library of the server writes an error for each such question, although no
//! display is needed.

/// Runs `load`; messages about the folder of the display server are omitted.
#[cfg(not(target_os = "linux"))]
pub(super) fn filtered<T>(load: impl FnOnce() -> T) -> T {
    load()
}

#[cfg(target_os = "linux")]
pub(super) use linux::filtered;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{self, Read, Seek, Write};
    use std::os::fd::OwnedFd;
    use std::path::PathBuf;

    use rustix::fs::{MemfdFlags, memfd_create};
    use rustix::io::fcntl_dupfd_cloexec;
    use rustix::stdio::dup2_stderr;

    /// The variable with the folder of the display server.
    const FOLDER: &str = "XDG_RUNTIME_DIR";

    /// Runs `load`; messages about the folder of the display server are omitted.
    pub(in super::super) fn filtered<T>(load: impl FnOnce() -> T) -> T {
        let is_valid = std::env::var_os(FOLDER).is_some_and(|it| PathBuf::from(it).is_absolute());
        let _captured = if is_valid { None } else { Captured::start().ok() };
        load()
    }

    /// Standard error in a file in memory until it is dropped.
    struct Captured {
        stderr: OwnedFd,
        messages: File,
    }

    impl Captured {
        fn start() -> io::Result<Self> {
            let messages = File::from(memfd_create("messages", MemfdFlags::CLOEXEC)?);
            // Numbers up to 2 are those of standard streams.
            let stderr = fcntl_dupfd_cloexec(io::stderr(), 3)?;
            dup2_stderr(&messages)?;
            Ok(Captured { stderr, messages })
        }
    }

    impl Drop for Captured {
        fn drop(&mut self) {
            // If the system refuses, messages are lost.
            let _ = dup2_stderr(&self.stderr);
            let mut text = Vec::new();
            let read = self.messages.rewind().and_then(|()| self.messages.read_to_end(&mut text));
            if read.is_ok() {
                let _ = io::stderr().write_all(&without_folder(&text));
            }
        }
    }

    /// Returns the lines that do not name the folder of the display server.
    fn without_folder(text: &[u8]) -> Vec<u8> {
        let names_it =
            |line: &&[u8]| line.windows(FOLDER.len()).any(|part| part == FOLDER.as_bytes());
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.filter(|line| !names_it(line)).flatten().copied().collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn other_messages_remain() {
            let text = b"error: XDG_RUNTIME_DIR is not set.\nMESA: no device\nlast";
            assert_eq!(without_folder(text), b"MESA: no device\nlast");
        }
    }
}
