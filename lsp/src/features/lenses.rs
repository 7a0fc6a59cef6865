//! Code lenses: run a program, run tests with their results, run benchmarks, show the plan.

use serde_json::json;

use crate::analysis::Analysis;
use crate::features::commands;
use crate::protocol::types::{CodeLens, CodeLensParams, Command};
use crate::state::{Context, Refusal};
use crate::toolchain::{Purpose, Span, ast, text};

/// Answers a request for the lenses of a document.
///
/// # Errors
/// If the document cannot be read or changed.
pub(crate) fn lenses(
    context: &Context<'_>,
    params: CodeLensParams,
) -> Result<Vec<CodeLens>, Refusal> {
    let uri = &params.text_document.uri;
    let analysis = context.analysis(uri)?;
    if analysis.is_library {
        return Ok(Vec::new());
    }
    let lens = |span: Span, title: String, command: &str, rest: serde_json::Value| {
        let arguments = json!({ "uri": uri.0, "at": rest });
        CodeLens {
            range: analysis.range(span),
            command: Some(Command {
                title,
                command: command.to_owned(),
                arguments: serde_json::from_value(json!([arguments])).ok(),
                ..Default::default()
            }),
            ..Default::default()
        }
    };
    let mut lenses = Vec::new();
    for header in &analysis.headers {
        let line = analysis.range(header.span).start.line;
        let n_cases = |purpose| header.cases(purpose).map_or(0, |cases| cases.len());
        let at = json!({ "line": line, "title": header.title });
        if !matches!(header.kind, crate::toolchain::HeaderKind::Bench) {
            let n = n_cases(Purpose::Test);
            let cases = text::count(n, "case");
            let title = match context.state.result(uri, line) {
                Some(result) if Some(result.version) == analysis.version => match result.passed {
                    true => format!("✓ passed, {cases}"),
                    false => format!("✗ failed: {}", result.failure),
                },
                Some(_) | None => format!("▶ Run test ({cases})"),
            };
            lenses.push(lens(header.span, title, commands::TEST, at.clone()));
        }
        if header.is_benchmark() {
            lenses.push(lens(header.span, "▶ Run benchmark".to_owned(), commands::BENCH, at));
        }
    }
    let loops = loops_by_routine(context, &analysis)?;
    for routine in analysis.routines() {
        let at = json!({ "routine": routine.name.name.as_str() });
        if routine.kind == ast::RoutineKind::Program {
            let title = "▶ Run".to_owned();
            lenses.push(lens(routine.name.span, title, commands::RUN, at.clone()));
        }
        let inside = |span: &(Span, bool)| {
            routine.span.start <= span.0.start && span.0.end <= routine.span.end
        };
        let own: Vec<&(Span, bool)> = loops.iter().filter(|one| inside(one)).collect();
        if !own.is_empty() {
            let n_better = own.iter().filter(|(_, transformed)| *transformed).count();
            let loops = if own.len() == 1 { "loop" } else { "loops" };
            let title = format!("Plan: {n_better} of {} {loops} transformed", own.len());
            lenses.push(lens(routine.name.span, title, commands::PLAN, at));
        }
    }
    Ok(lenses)
}

/// Returns the loops of the document, and whether each was transformed.
fn loops_by_routine(
    context: &Context<'_>,
    analysis: &Analysis,
) -> Result<Vec<(Span, bool)>, Refusal> {
    context.is_latest(&analysis.uri)?;
    let loops = analysis
        .plan()
        .map(|plan| plan.loops.iter().map(|one| (one.span, one.transformed)).collect::<Vec<_>>());
    context.go_on()?;
    Ok(loops.unwrap_or_default())
}
