//! How long short commands take, from the start of the process.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::process::Folder;
use super::spread::spread;
use crate::say::say;

/// What a session shows when it is ready.
const PROMPT: &[u8] = b"star> ";

/// Times the commands in turn.
pub(super) fn run(folder: &Folder, runs: usize) -> Result<(), String> {
    let mut times = [const { Vec::new() }; 3];
    // The first round does not count: then everything is in memory.
    for round in 0..=runs {
        let taken = [folder.run("--version")?, folder.run("check paths.star")?, session(folder)?];
        if round > 0 {
            times.iter_mut().zip(taken).for_each(|(times, taken)| times.push(taken));
        }
    }
    let n_lines = include_str!("../../programs/paths.star").lines().count();
    let check = format!("`star check`, a program of {n_lines} lines, to its end");
    say!("{runs} runs; ms, median (least to most)\n");
    say!("| command | ms |\n|---|---|");
    for (what, times) in
        ["`star --version`, to its end", &check, "`star repl` on a terminal, to its prompt"]
            .iter()
            .zip(&times)
    {
        say!("| {what} | {} |", spread(times));
    }
    Ok(())
}

/// From the start of a session to its prompt on a terminal.
fn session(folder: &Folder) -> Result<Duration, String> {
    let failed = |error: rustix::io::Errno| format!("no terminal: {error}");
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).map_err(failed)?;
    grantpt(&ours).map_err(failed)?;
    unlockpt(&ours).map_err(failed)?;
    let name = ptsname(&ours, Vec::new()).map_err(failed)?;
    let name = name.into_string().map_err(|error| error.to_string())?;
    let theirs = OpenOptions::new().read(true).write(true).open(&name);
    let theirs = OwnedFd::from(theirs.map_err(|error| format!("{name}: {error}"))?);
    let end = || theirs.try_clone().map(Stdio::from).map_err(|error| error.to_string());
    let mut command = Command::new(folder.binary());
    command.arg("repl").current_dir(folder.path());
    command.env("TERM", "xterm").env("XDG_STATE_HOME", folder.path());
    command.stdin(end()?).stdout(end()?).stderr(end()?);
    let begun = Instant::now();
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut ours = File::from(ours);
    let mut shown = Vec::new();
    let mut bytes = [0; 1024];
    let ready = loop {
        match ours.read(&mut bytes) {
            Ok(n) if n > 0 => shown.extend_from_slice(&bytes[..n]),
            Ok(_) | Err(_) => break Err("the session ends without a prompt".to_owned()),
        }
        if shown.windows(PROMPT.len()).any(|window| window == PROMPT) {
            break Ok(begun.elapsed());
        }
    };
    let _ = child.kill();
    child.wait().map_err(|error| error.to_string())?;
    ready
}
