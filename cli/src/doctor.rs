//! System information for `star doctor`: processor, memory, kernels, file limits and backends. The
//! system is only read, not changed; unknown values are `None`.
//!
//! [`crate::command::doctor`] formats the output.

use std::path::PathBuf;
use std::thread;

use star::pipeline::backends::{Availability, BACKENDS, BackendSpec};
use star_base::Intrinsic;
use star_vm::kernels::Level;

use star_os::limits::default_memory;
use star_os::machines;
use star_os::size_args::{address_space_left, available_memory, meminfo};

/// The machine, and its use by `star`.
#[derive(Debug)]
pub(crate) struct Findings {
    /// The processor.
    pub(crate) processor: Processor,
    /// The memory.
    pub(crate) memory: Memory,
    /// The selected kernels.
    pub(crate) kernels: &'static str,
    /// File limits.
    pub(crate) files: Files,
    /// The backends.
    pub(crate) backends: Vec<BackendState>,
}

/// The processor.
#[derive(Debug)]
pub(crate) struct Processor {
    /// Its name.
    pub(crate) model: Option<String>,
    /// The architecture of this build: `x86_64`.
    pub(crate) architecture: &'static str,
    /// Instruction sets used by kernels, and whether they are supported.
    pub(crate) features: Vec<(&'static str, bool)>,
    /// Number of threads that this process may run concurrently.
    pub(crate) n_threads: Option<usize>,
}

/// Memory in bytes.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Total memory of the machine.
    pub(crate) total: Option<u64>,
    /// Memory available to this process without swapping.
    pub(crate) available: u64,
    /// Memory that this process may still allocate; `None` if unlimited.
    pub(crate) allowed: Option<u64>,
}

/// File limits.
#[derive(Debug)]
pub(crate) struct Files {
    /// Maximum number of files that this process may have open.
    pub(crate) max_open: Option<u64>,
    /// Maximum size of a file written by this process; `None` if unlimited.
    pub(crate) max_bytes: Option<u64>,
    /// The current folder. Temporary files are created next to their destination, so no folder for
    /// temporary files is needed.
    pub(crate) folder: Option<PathBuf>,
    /// Free space in bytes.
    pub(crate) free: Option<u64>,
}

/// A backend.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BackendState {
    /// Its name for `--backend`.
    pub(crate) name: &'static str,
    /// Whether it is the default.
    pub(crate) is_default: bool,
    /// Whether it is available, or the reason why not.
    pub(crate) state: Result<(), String>,
    /// Its device with limits, unless it is the processor.
    pub(crate) device: Option<String>,
    /// Default memory limit of a run, in bytes of packed values.
    pub(crate) default_memory: Option<u64>,
    /// Library routines with an intrinsic.
    pub(crate) intrinsics: Vec<Intrinsic>,
}

/// Collects the information and opens the device of every backend.
pub(crate) fn examine() -> Findings {
    let folder = std::env::current_dir().ok();
    let memory = memory();
    Findings {
        processor: processor(),
        kernels: Level::detect().name(),
        backends: list_backends(memory.available),
        memory,
        files: Files {
            max_open: limits::open_files(),
            max_bytes: limits::file_size(),
            free: folder.as_deref().and_then(limits::free_bytes),
            folder,
        },
    }
}

/// Examines the processor.
pub(crate) fn processor() -> Processor {
    Processor {
        model: model(),
        architecture: std::env::consts::ARCH,
        features: features(),
        n_threads: thread::available_parallelism().ok().map(usize::from),
    }
}

/// Examines the memory.
pub(crate) fn memory() -> Memory {
    let (available, allowed) = (available_memory(), address_space_left());
    Memory { total: meminfo("MemTotal:"), available, allowed }
}

/// Returns the backends listed by the harness.
fn list_backends(available: u64) -> Vec<BackendState> {
    let state = |entry: &BackendSpec| {
        let (name, is_default) = (entry.name, entry.name == machines::DEFAULT);
        match entry.open() {
            Availability::Ready(backend) => {
                let caps = backend.caps();
                BackendState {
                    name,
                    is_default,
                    state: Ok(()),
                    device: caps.is_adapter.then(|| caps.device.clone()),
                    default_memory: Some(default_memory(&caps, available)),
                    intrinsics: caps.intrinsics,
                }
            }
            Availability::Unavailable { reason } => BackendState {
                name,
                is_default,
                state: Err(reason),
                device: None,
                default_memory: None,
                intrinsics: Vec::new(),
            },
        }
    };
    BACKENDS.iter().map(state).collect()
}

fn model() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    field(&text, "model name").or_else(|| field(&text, "Model"))
}

/// Returns the value of the first line `NAME : VALUE`.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        (found.trim() == name).then(|| value.trim().to_owned())
    })
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<(&'static str, bool)> {
    use std::arch::is_x86_feature_detected as has;
    vec![
        ("popcnt", has!("popcnt")),
        ("lzcnt", has!("lzcnt")),
        ("bmi1", has!("bmi1")),
        ("bmi2", has!("bmi2")),
        ("avx2", has!("avx2")),
        ("avx512f", has!("avx512f")),
        ("avx512bw", has!("avx512bw")),
        ("avx512vl", has!("avx512vl")),
        ("avx512dq", has!("avx512dq")),
        ("avx512vpopcntdq", has!("avx512vpopcntdq")),
        ("avx512bitalg", has!("avx512bitalg")),
    ]
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<(&'static str, bool)> {
    Vec::new()
}

/// The soft limits of the system; `None` if unlimited.
#[cfg(unix)]
mod limits {
    use std::path::Path;

    use rustix::process::{Resource, getrlimit};

    pub(super) fn open_files() -> Option<u64> {
        getrlimit(Resource::Nofile).current
    }

    pub(super) fn file_size() -> Option<u64> {
        getrlimit(Resource::Fsize).current
    }

    pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
        let system = rustix::fs::statvfs(folder).ok()?;
        system.f_bavail.checked_mul(system.f_frsize)
    }
}

#[cfg(not(unix))]
mod limits {
    use std::path::Path;

    pub(super) fn open_files() -> Option<u64> {
        None
    }

    pub(super) fn file_size() -> Option<u64> {
        None
    }

    pub(super) fn free_bytes(_: &Path) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_model_among_the_fields() {
        let text = "processor\t: 0\nmodel name\t: A B: C\nmodel name\t: other\n";
        assert_eq!(field(text, "model name").as_deref(), Some("A B: C"));
    }

    #[test]
    fn available_backends_are_not_reported_as_missing() {
        let backends = list_backends(8 << 30);
        let mut names: Vec<&str> = backends.iter().map(|backend| backend.name).collect();
        for name in star::pipeline::backends::names() {
            let mut states = backends.iter();
            // The device of a backend may be missing; its state then says so.
            let fits = |state: &BackendState| match &state.state {
                Ok(()) => true,
                Err(why) => name == "gpu" && why.contains("adapter"),
            };
            assert!(states.any(|state| state.name == name && fits(state)));
        }
        assert!(["reference", "cpu", "gpu"].iter().all(|name| names.contains(name)));
        names.sort_unstable();
        assert!(names.is_sorted_by(|a, b| a < b), "each once");
    }

    #[test]
    fn the_processor_supports_the_selected_kernels() {
        let findings = examine();
        let has = |name: &str| findings.processor.features.contains(&(name, true));
        match Level::detect() {
            Level::Baseline => {}
            Level::Avx2 => assert!(has("avx2") && has("popcnt")),
            Level::Avx512 => assert!(has("avx2") && has("avx512f") && has("avx512vpopcntdq")),
        }
        assert!(findings.memory.total.is_none_or(|total| total >= findings.memory.available));
    }
}
