//! Commands of lenses: the only place where the server runs programs of the user, in a process of
//! the command `star` with its limits.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::features::workspace;
use crate::protocol::types::{ExecuteCommandParams, Uri};
use crate::protocol::{notification, to_json};
use crate::state::{Context, Refusal, TestResult};
use crate::toolchain;

/// Runs the program of a document.
pub(crate) const RUN: &str = "star.run";
/// Runs a test, or all tests of a document.
pub(crate) const TEST: &str = "star.test";
/// Runs the benchmarks of a document.
pub(crate) const BENCH: &str = "star.bench";
/// Shows what the passes made of the loops of a document.
pub(crate) const PLAN: &str = "star.plan";

/// All commands.
pub(crate) const ALL: &[&str] = &[RUN, TEST, BENCH, PLAN];

/// The longest output of a process that is kept.
const MAX_OUTPUT: u64 = 1 << 20;
/// The limit on the time of a program.
const MAX_TIME: &str = "60s";
/// The interval at which a cancelled command is noticed.
const POLL: Duration = Duration::from_millis(20);

/// Carries out a command. Its answer is the text that it shows.
///
/// # Errors
/// If the document cannot be read, or the command fails.
pub(crate) fn execute(
    context: &Context<'_>,
    params: ExecuteCommandParams,
) -> Result<Value, Refusal> {
    let arguments = to_json(&params.arguments);
    let argument = &arguments[0];
    let uri = argument["uri"].as_str().or(argument.as_str());
    let Some(uri) = uri.map(|uri| Uri(uri.to_owned())) else {
        return Err(Refusal::Invalid(
            "the first argument must have the `uri` of a document".into(),
        ));
    };
    let analysis = context.analysis(&uri)?;
    let text = match params.command.as_str() {
        RUN => output(context, &analysis, &["run", "-", "--max-time", MAX_TIME])?.both(),
        BENCH => output(context, &analysis, &["bench", "-"])?.both(),
        TEST => test(context, &analysis, argument["at"]["title"].as_str())?,
        PLAN => plan(&analysis),
        other => return Err(Refusal::Unknown(other.to_owned())),
    };
    let shown = text.trim_end();
    if !shown.is_empty() {
        let message = json!({ "type": 3, "message": shown });
        context.state.send(notification("window/showMessage", message));
    }
    Ok(Value::String(text))
}

/// The output of a process.
struct Output {
    stdout: String,
    stderr: String,
}

impl Output {
    fn both(self) -> String {
        self.stdout + &self.stderr
    }
}

/// Runs `star` on the text of a document, which need not be saved, in its folder.
fn output(
    context: &Context<'_>,
    analysis: &Analysis,
    arguments: &[&str],
) -> Result<Output, Refusal> {
    let failed = |why: String| Refusal::Failed(why);
    let Some(program) = &context.state.program else {
        return Err(failed("this server cannot run programs".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let path = workspace::path_of(&analysis.uri);
    if let Some(folder) = path.as_ref().and_then(|path| path.parent()) {
        command.current_dir(folder);
    }
    let cannot = |error: std::io::Error| failed(format!("cannot run `star`: {error}"));
    let mut child = command.spawn().map_err(cannot)?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let text = analysis.text();
    thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // A process that ends early does not read everything.
                let _ = stdin.write_all(text.as_bytes());
            }
        });
        let read = |stream: Option<Box<dyn Read + Send>>| {
            let mut bytes = Vec::new();
            if let Some(stream) = stream {
                let _ = stream.take(MAX_OUTPUT).read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let boxed = stdout.map(|one| Box::new(one) as Box<dyn Read + Send>);
        let out = scope.spawn(move || read(boxed));
        let boxed = stderr.map(|one| Box::new(one) as Box<dyn Read + Send>);
        let err = scope.spawn(move || read(boxed));
        let ended = loop {
            if context.cancelled.load(Ordering::Relaxed) {
                let _ = child.kill();
                let _ = child.wait();
                break Err(Refusal::Cancelled);
            }
            match child.try_wait() {
                Ok(Some(_)) => break Ok(()),
                Ok(None) => thread::sleep(POLL),
                Err(error) => break Err(cannot(error)),
            }
        };
        let (stdout, stderr) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        ended.map(|()| Output { stdout, stderr })
    })
}

/// Runs the tests of a document with this title, or all, and records their results for lenses.
fn test(
    context: &Context<'_>,
    analysis: &Analysis,
    title: Option<&str>,
) -> Result<String, Refusal> {
    let mut arguments = vec!["test", "-", "--format", "json"];
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        arguments.extend(["--filter", title]);
    }
    let found = output(context, analysis, &arguments)?;
    let mut text = String::new();
    for line in found.stdout.lines() {
        let Ok(object) = serde_json::from_str::<Value>(line) else { continue };
        let test = &object["test"];
        let Some(number) = test["line"].as_u64() else { continue };
        let message = &test["failure"]["message"];
        let failure = message["message"].as_str().unwrap_or_default().to_owned();
        let result = TestResult {
            version: analysis.version.unwrap_or_default(),
            passed: test["passed"].as_bool().unwrap_or(false),
            cases: test["cases"].as_u64().unwrap_or_default(),
            failure,
        };
        let title = test["title"].as_str().unwrap_or_default();
        text += &match result.passed {
            true => format!(
                "passed: {title}, {}\n",
                toolchain::text::count(result.cases as usize, "case")
            ),
            false => format!("failed: {title}: {}\n{}", result.failure, notes(message)),
        };
        context.state.record(&analysis.uri, number.saturating_sub(1) as u32, result);
    }
    context.state.refresh("workspace/codeLens/refresh", context.state.abilities.refreshes[2]);
    Ok(if text.is_empty() { found.stderr } else { text })
}

/// Returns the notes of a failure, indented: what was expected and found, and the input.
fn notes(message: &Value) -> String {
    let notes = message["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let notes = notes.filter(|note| !note.starts_with("the test: "));
    notes.flat_map(str::lines).map(|line| format!("  {line}\n")).collect()
}

fn plan(analysis: &Analysis) -> String {
    let Some(plan) = analysis.plan() else {
        return "the program has errors; there is no plan".to_owned();
    };
    let line = |one: &crate::toolchain::PlannedLoop| {
        format!("line {}: {}\n", analysis.range(one.span).start.line + 1, one.became)
    };
    let lines: String = plan.loops.iter().map(line).collect();
    if lines.is_empty() { "no loops were examined".to_owned() } else { lines }
}
