//! The answers to requests, one file each.

pub(crate) mod actions;
pub(crate) mod capabilities;
pub(crate) mod commands;
pub(crate) mod completion;
pub(crate) mod data;
pub(crate) mod diagnostics;
pub(crate) mod docs;
pub(crate) mod folding;
pub(crate) mod formatting;
pub(crate) mod hierarchy;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod lenses;
pub(crate) mod lookup;
pub(crate) mod navigation;
pub(crate) mod rename;
pub(crate) mod signature;
pub(crate) mod symbols;
pub(crate) mod tokens;
pub(crate) mod tree;
pub(crate) mod workspace;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::protocol::to_json;
use crate::state::{Context, Refusal};

/// The thread that answers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thread {
    /// For answers that a client waits for while the user types.
    Answers,
    /// For answers that optimise a program or read the whole workspace.
    Plans,
    /// For commands, which may run a program.
    Commands,
}

/// Returns the thread that answers a request.
pub(crate) fn thread_of(method: &str) -> Thread {
    match method {
        "textDocument/inlayHint" | "textDocument/codeLens" | "workspace/symbol" => Thread::Plans,
        "workspace/executeCommand" => Thread::Commands,
        _ => Thread::Answers,
    }
}

/// Tests whether a client asks again after each change, so that an answer about an older text is
/// useless.
pub(crate) fn is_renewed(method: &str) -> bool {
    matches!(
        method,
        "textDocument/inlayHint"
            | "textDocument/codeLens"
            | "textDocument/semanticTokens/full"
            | "textDocument/semanticTokens/range"
            | "textDocument/diagnostic"
            | "textDocument/documentSymbol"
            | "textDocument/foldingRange"
            | "textDocument/documentLink"
            | "textDocument/documentHighlight"
    )
}

/// Answers a request.
///
/// # Errors
/// The reason why there is no answer.
pub(crate) fn answer(context: &Context<'_>, method: &str, params: Value) -> Result<Value, Refusal> {
    let of = context;
    match method {
        "textDocument/diagnostic" => with(of, params, diagnostics::pull),
        "textDocument/codeAction" => with(of, params, actions::actions),
        "textDocument/hover" => with(of, params, hover::hover),
        "textDocument/completion" => with(of, params, completion::complete),
        "completionItem/resolve" => with(of, params, completion::resolve),
        "textDocument/signatureHelp" => with(of, params, signature::help),
        "textDocument/definition" => with(of, params, navigation::definition),
        "textDocument/references" => with(of, params, navigation::references),
        "textDocument/documentHighlight" => with(of, params, navigation::highlights),
        "textDocument/documentLink" => with(of, params, navigation::links),
        "textDocument/prepareRename" => with(of, params, rename::prepare),
        "textDocument/rename" => with(of, params, rename::rename),
        "textDocument/documentSymbol" => with(of, params, symbols::of_document),
        "workspace/symbol" => with(of, params, symbols::of_workspace),
        "textDocument/foldingRange" => with(of, params, folding::folds),
        "textDocument/selectionRange" => with(of, params, folding::selections),
        "textDocument/formatting" => with(of, params, formatting::whole),
        "textDocument/rangeFormatting" => with(of, params, formatting::range),
        "textDocument/onTypeFormatting" => with(of, params, formatting::typed),
        "textDocument/semanticTokens/full" => with(of, params, tokens::full),
        "textDocument/semanticTokens/range" => with(of, params, tokens::range),
        "textDocument/inlayHint" => with(of, params, hints::hints),
        "textDocument/codeLens" => with(of, params, lenses::lenses),
        "textDocument/prepareCallHierarchy" => with(of, params, hierarchy::prepare),
        "callHierarchy/incomingCalls" => with(of, params, hierarchy::incoming),
        "callHierarchy/outgoingCalls" => with(of, params, hierarchy::outgoing),
        "workspace/executeCommand" => with(of, params, commands::execute),
        _ => Err(Refusal::Unknown(method.to_owned())),
    }
}

fn with<P: DeserializeOwned, R: Serialize>(
    context: &Context<'_>,
    params: Value,
    answer: impl FnOnce(&Context<'_>, P) -> Result<R, Refusal>,
) -> Result<Value, Refusal> {
    context.go_on()?;
    let params =
        serde_json::from_value(params).map_err(|error| Refusal::Invalid(error.to_string()))?;
    Ok(to_json(answer(context, params)?))
}
