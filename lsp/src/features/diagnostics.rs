//! Diagnostics, published by the server or asked for by the client.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::analysis::Analysis;
use crate::document::Snapshot;
use crate::protocol::notification;
use crate::protocol::types::{
    Code as CodeValue, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    DocumentDiagnosticParams, DocumentDiagnosticReport, FullDocumentDiagnosticReport, Message,
    PublishDiagnosticsParams, RelatedFullDocumentDiagnosticReport,
    RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport, Uri,
};
use crate::protocol::wire;
use crate::state::{Context, Refusal, State};
use crate::toolchain::{self, Code, Severity};

/// Maximum number of messages for a document.
const MAX_SHOWN: usize = 400;

/// Publishes the diagnostics of a document and of the documents that depend on it, unless the
/// client asks for them.
pub(crate) fn publish(state: &State<'_>, uri: &Uri) {
    let snapshot = state.latest();
    let Some(document) = snapshot.document(uri) else {
        // Closed: what it showed is about a text that is gone.
        if !state.abilities.pulls {
            let (uri, diagnostics) = (uri.clone(), Vec::new());
            send(state, PublishDiagnosticsParams { uri, version: None, diagnostics });
        }
        return;
    };
    // Also with a client that asks: the analysis is what the next request needs.
    let Some(analysis) = state.analysis(&snapshot, uri) else { return };
    if !state.abilities.pulls {
        push(state, &snapshot, &analysis);
    }
    let path = document.path.clone();
    let dependent = |one: &&crate::document::Document| {
        let known = state.last_known(&one.uri);
        let reads = |known: &Analysis| path.as_ref().is_some_and(|path| known.reads(path));
        one.uri != *uri && known.is_some_and(|known| reads(&known) && !known.is_current(&snapshot))
    };
    let others: Vec<Uri> =
        snapshot.documents().filter(dependent).map(|one| one.uri.clone()).collect();
    if state.abilities.pulls {
        if !others.is_empty() {
            state.refresh("workspace/diagnostic/refresh", state.abilities.refreshes[0]);
        }
        return;
    }
    for other in others {
        if let Some(analysis) = state.analysis(&snapshot, &other) {
            push(state, &snapshot, &analysis);
        }
    }
}

fn push(state: &State<'_>, snapshot: &Snapshot, analysis: &Analysis) {
    // A newer version is waiting and will be published.
    let latest = state.latest().document(&analysis.uri).map(|document| document.version);
    if latest != analysis.version {
        return;
    }
    let diagnostics = of(snapshot, analysis);
    let (uri, version) = (analysis.uri.clone(), analysis.version);
    send(state, PublishDiagnosticsParams { uri, version, diagnostics });
}

fn send(state: &State<'_>, params: PublishDiagnosticsParams) {
    let message: wire::Message = notification("textDocument/publishDiagnostics", params);
    state.send(message);
}

/// Answers a request for the diagnostics of a document.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn pull(
    context: &Context<'_>,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReport, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    let items = of(context.snapshot, &analysis);
    let mut hasher = DefaultHasher::new();
    crate::protocol::to_json(&items).to_string().hash(&mut hasher);
    let result_id = format!("{:016x}", hasher.finish());
    if params.previous_result_id.as_ref() == Some(&result_id) {
        return Ok(DocumentDiagnosticReport::RelatedUnchangedDocumentDiagnosticReport(
            RelatedUnchangedDocumentDiagnosticReport {
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                    result_id,
                },
                ..Default::default()
            },
        ));
    }
    let full = FullDocumentDiagnosticReport { result_id: Some(result_id), items };
    Ok(DocumentDiagnosticReport::RelatedFullDocumentDiagnosticReport(
        RelatedFullDocumentDiagnosticReport {
            full_document_diagnostic_report: full,
            ..Default::default()
        },
    ))
}

/// Returns the diagnostics of a document. Errors in an imported file are shown at its import.
fn of(snapshot: &Snapshot, analysis: &Analysis) -> Vec<Diagnostic> {
    if analysis.is_library {
        return Vec::new();
    }
    let all = analysis.diagnostics().filter_map(|one| diagnostic(snapshot, analysis, one));
    all.take(MAX_SHOWN).collect()
}

/// Converts a message; `None` if it concerns a file that the document does not import itself.
pub(crate) fn diagnostic(
    snapshot: &Snapshot,
    analysis: &Analysis,
    one: &toolchain::Diagnostic,
) -> Option<Diagnostic> {
    let root = analysis.root();
    let place = one.span();
    let mut related: Vec<DiagnosticRelatedInformation> = Vec::new();
    let mut relate = |span, message: &str| {
        if let Some(location) = analysis.location(snapshot, span) {
            related.push(DiagnosticRelatedInformation { location, message: message.to_owned() });
        }
    };
    let (range, mut message) = match place {
        Some(span) if span.file == root => {
            (analysis.range(visible(analysis, span)), one.message.clone())
        }
        Some(span) => {
            // In another file: only errors, since they may explain those here.
            if !one.is_error() {
                return None;
            }
            let own = analysis.index.files.iter().find(|file| file.file == root)?;
            let (_, import) = own.imports.iter().find(|(file, _)| *file == span.file)?;
            relate(span, &one.message);
            (analysis.range(*import), format!("error in the imported file: {}", one.message))
        }
        None => (analysis.range_of(0..0), one.message.clone()),
    };
    let here = one.labels.first().filter(|label| !label.text.is_empty());
    if let Some(label) = here {
        message += &format!(": {}", label.text);
    }
    for label in one.labels.iter().skip(1) {
        relate(label.span, &label.text);
    }
    message.extend(one.notes.iter().map(|note| format!("\nnote: {note}")));
    message.extend(one.help.iter().map(|help| format!("\nhelp: {help}")));
    let severity = match one.severity() {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        Severity::Note => DiagnosticSeverity::Information,
    };
    let tags = match one.code {
        Code::EqualsAssigns => Some(vec![DiagnosticTag::Deprecated]),
        Code::EmptyBody => Some(vec![DiagnosticTag::Unnecessary]),
        code => code.is_about_unused().then(|| vec![DiagnosticTag::Unnecessary]),
    };
    Some(Diagnostic {
        range,
        severity: Some(severity),
        code: Some(CodeValue::String(one.code.as_str().to_owned())),
        source: Some("star".to_owned()),
        message: Message::String(message),
        tags,
        related_information: (!related.is_empty()).then_some(related),
        ..Default::default()
    })
}

/// Returns a range that an editor can underline: an empty one becomes the character before it.
fn visible(analysis: &Analysis, span: toolchain::Span) -> toolchain::Span {
    if span.start < span.end {
        return span;
    }
    let text = analysis.text();
    let before = text.get(..span.start as usize).unwrap_or_default();
    match before.chars().next_back().filter(|c| !c.is_whitespace()) {
        Some(c) => toolchain::Span::new(span.file, span.start - c.len_utf8() as u32, span.end),
        None => span,
    }
}
