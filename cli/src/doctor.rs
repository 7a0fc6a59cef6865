//! What `star doctor` finds out: the processor, memory, kernels, file limits and backends. Everything
//! is read from the system and nothing changed; what it does not say is `None`.
//!
//! Wording is the business of [`crate::command::doctor`].

use std::path::PathBuf;
use std::thread;

use star_base::Intrinsic;
use star_harness::backends::{Availability, BACKENDS, BackendSpec};
use star_vm::kernels::Level;

use star_os::engine;
use star_os::limits::default_memory;
use star_os::size_args::{address_space_left, available_memory, meminfo};

/// The machine and what `star` makes of it.
#[derive(Debug)]
pub(crate) struct Findings {
    /// The processor.
    pub(crate) processor: Processor,
    /// The memory.
    pub(crate) memory: Memory,
    /// The kernels that were chosen.
    pub(crate) kernels: &'static str,
    /// Files.
    pub(crate) files: Files,
    /// The backends.
    pub(crate) backends: Vec<BackendState>,
}

/// The processor.
#[derive(Debug)]
pub(crate) struct Processor {
    /// Its name.
    pub(crate) model: Option<String>,
    /// The architecture this build is for: `x86_64`.
    pub(crate) architecture: &'static str,
    /// Instructions that kernels use, and whether they are there.
    pub(crate) features: Vec<(&'static str, bool)>,
    /// Threads that this process may run at once.
    pub(crate) n_threads: Option<usize>,
}

/// Memory in bytes.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Of the machine.
    pub(crate) total: Option<u64>,
    /// That can be taken without harm to others, and within the limit of this process.
    pub(crate) available: u64,
    /// That this process may still take at all; `None` if there is no limit.
    pub(crate) allowed: Option<u64>,
}

/// What limits files.
#[derive(Debug)]
pub(crate) struct Files {
    /// Files that this process may have open at once.
    pub(crate) max_open: Option<u64>,
    /// Most bytes of a file that this process writes; `None` if there is no limit.
    pub(crate) max_bytes: Option<u64>,
    /// The folder at hand. A file is made beside its place, so that nothing is written to a folder for
    /// temporary files.
    pub(crate) folder: Option<PathBuf>,
    /// Bytes free there.
    pub(crate) free: Option<u64>,
}

/// A backend.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BackendState {
    /// Its name for `--backend`.
    pub(crate) name: &'static str,
    /// Does it run programs unless told otherwise?
    pub(crate) is_default: bool,
    /// Is it there? If not, why.
    pub(crate) state: Result<(), String>,
    /// The device that it computes on, with its limits, if that is not the processor.
    pub(crate) device: Option<String>,
    /// Bytes of values, packed, that a run may have without `--max-memory`.
    pub(crate) default_memory: Option<u64>,
    /// Library routines that it does in ways of its own.
    pub(crate) intrinsics: Vec<Intrinsic>,
}

/// Looks at the machine, and opens the device of every backend.
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

/// Looks at the processor.
pub(crate) fn processor() -> Processor {
    Processor {
        model: model(),
        architecture: std::env::consts::ARCH,
        features: features(),
        n_threads: thread::available_parallelism().ok().map(usize::from),
    }
}

/// Looks at the memory.
pub(crate) fn memory() -> Memory {
    let (available, allowed) = (available_memory(), address_space_left());
    Memory { total: meminfo("MemTotal:"), available, allowed }
}

/// The backends as the harness lists them.
fn list_backends(available: u64) -> Vec<BackendState> {
    let state = |entry: &BackendSpec| {
        let (name, is_default) = (entry.name, entry.name == engine::DEFAULT);
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

/// The value of the first line `NAME : VALUE`.
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

/// What the system allows, by its soft limits; `None` if there is no limit.
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
    fn the_model_is_found_among_the_fields() {
        let text = "processor\t: 0\nmodel name\t: A B: C\nmodel name\t: other\n";
        assert_eq!(field(text, "model name").as_deref(), Some("A B: C"));
    }

    #[test]
    fn a_backend_that_is_there_is_not_told_to_be_missing() {
        let backends = list_backends(8 << 30);
        let mut names: Vec<&str> = backends.iter().map(|backend| backend.name).collect();
        for name in engine::ready_names() {
            let mut states = backends.iter();
            // The device of one may be missing, which it says.
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
    fn the_chosen_kernels_are_backed_by_the_features() {
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
