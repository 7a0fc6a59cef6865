//! Where and by what it was measured.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use star_report::measure::{CONFIDENCE, read_speed};
use star_report::record::{MachineInfo, Record, SCHEMA, Settings, Speed, Tool, utc};
use star_vm::kernels::Kernels;

use super::options::Options;

/// Limbs of the buffer whose reading gives the bandwidth: 256 MiB.
const BUFFER: usize = 1 << 25;

/// A file without rows yet.
pub(super) fn record(options: &Options, width: f64, max_runs: usize) -> Record {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Record {
        schema: SCHEMA,
        tool: tool(),
        machine: machine(),
        adapter: None,
        date: Some(utc(since.as_secs())),
        seed: Some(options.folders.seed),
        settings: Some(Settings {
            time_s: options.time.as_secs_f64(),
            width,
            max_runs: max_runs as u64,
            confidence: CONFIDENCE,
        }),
        bandwidth: bandwidth("before"),
        interrupted: true,
        rows: Vec::new(),
    }
}

/// The machine in one line.
pub(crate) fn machine_text() -> String {
    let MachineInfo { cpu, threads, kernels, .. } = machine();
    let text = |part: Option<String>| part.unwrap_or_else(|| "unknown".to_owned());
    let threads = threads.map_or(String::new(), |threads| format!(", {threads} threads"));
    format!("{}{threads}, {} kernels", text(cpu), text(kernels))
}

/// The commit, followed by `+` if files differ from it.
pub(crate) fn commit() -> String {
    tool().commit.unwrap_or_else(|| "unknown".to_owned())
}

/// The current time.
pub(crate) fn date() -> String {
    utc(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}

/// The first line of the table.
pub(super) fn line(record: &Record) -> String {
    let MachineInfo { cpu, threads, kernels, .. } = &record.machine;
    let text = |part: &Option<String>| part.clone().unwrap_or_else(|| "unknown".to_owned());
    let threads = threads.map_or(String::new(), |threads| format!(", {threads} threads"));
    let speeds = record
        .bandwidth
        .iter()
        .map(|speed| format!("{:.1} GB/s read on {} of them", speed.read_gb_per_s, speed.threads));
    let speeds = speeds.collect::<Vec<_>>().join(", ");
    let profile = match record.tool.profile.as_deref() {
        Some("release") => "",
        _ => "\na debug build: these figures say nothing about speed",
    };
    let commit = text(&record.tool.commit);
    format!("{}{threads}, {} kernels, commit {commit}; {speeds}{profile}", text(cpu), text(kernels))
}

fn tool() -> Tool {
    let changes = said("git", &["status", "--porcelain", "--untracked-files=no"]);
    let commit = said("git", &["rev-parse", "--short", "HEAD"]).map(|commit| {
        let plus = if changes.is_some_and(|changes| !changes.is_empty()) { "+" } else { "" };
        format!("{commit}{plus}")
    });
    Tool {
        name: "star-benches peers".to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        commit,
        rustc: said("rustc", &["--version"]),
        profile: Some(if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned()),
    }
}

fn machine() -> MachineInfo {
    let line = |path: &str, name: &str| {
        let text = fs::read_to_string(path).ok()?;
        let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
        let (_, value) = pairs.find(|(found, _)| found.trim() == name)?;
        Some(value.trim().to_owned())
    };
    let kilobytes = line("/proc/meminfo", "MemTotal");
    let kilobytes = kilobytes.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let threads = std::thread::available_parallelism().ok();
    MachineInfo {
        cpu: line("/proc/cpuinfo", "model name"),
        architecture: Some(std::env::consts::ARCH.to_owned()),
        features: Vec::new(),
        kernels: Some(Kernels::detect().level().name().to_owned()),
        threads: threads.and_then(|threads| u64::try_from(threads.get()).ok()),
        memory_bytes: kilobytes.map(|kilobytes| kilobytes * 1024),
        os: said("uname", &["-r"]).map(|release| format!("{} {release}", std::env::consts::OS)),
    }
}

/// On one thread and on all; `when` is `before` or `after` everything else.
pub(super) fn bandwidth(when: &str) -> Vec<Speed> {
    let buffer: Vec<u64> = (0..BUFFER as u64).collect();
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if all == 1 { vec![1] } else { vec![1, all] };
    let speed = |threads| {
        let speed = read_speed(&buffer, threads, &|| false)?;
        Some(Speed {
            threads: speed.threads as u64,
            bytes: speed.bytes as u64,
            read_gb_per_s: speed.gb_per_s,
            when: Some(when.to_owned()),
        })
    };
    threads.into_iter().filter_map(speed).collect()
}

/// What a program says, in the folder of this crate; `None` if it is not there or fails.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
