//! The abilities of the server.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{actions, commands, tokens};
use crate::protocol::to_json;
use crate::protocol::types::{
    CallHierarchyProvider, ChangeNotifications, CodeActionOptions, CodeActionProvider,
    CodeLensOptions, CompletionOptions, DefinitionProvider, DiagnosticOptions, DiagnosticProvider,
    DocumentFormattingProvider, DocumentHighlightProvider, DocumentLinkOptions,
    DocumentOnTypeFormattingOptions, DocumentRangeFormattingProvider, DocumentSymbolProvider,
    ExecuteCommandOptions, FoldingRangeProvider, Full, HoverProvider, InlayHintProvider,
    ReferencesProvider, RenameOptions, RenameProvider, Save, SelectionRangeProvider,
    SemanticTokensOptions, SemanticTokensOptionsRange, SemanticTokensProvider, ServerCapabilities,
    SignatureHelpOptions, TextDocumentSync, TextDocumentSyncKind, TextDocumentSyncOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceOptions, WorkspaceSymbolProvider,
};
use crate::state::Abilities;

/// Returns the answer to `initialize`.
pub(crate) fn result(abilities: &Abilities, client_commands: &BTreeSet<String>) -> Value {
    json!({
        "capabilities": to_json(capabilities(abilities, client_commands)),
        "serverInfo": { "name": "star lsp", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn capabilities(abilities: &Abilities, client_commands: &BTreeSet<String>) -> ServerCapabilities {
    let strings = |list: &[&str]| Some(list.iter().map(|&one| one.to_owned()).collect());
    let commands = commands::ALL.iter().filter(|name| !client_commands.contains(**name));
    ServerCapabilities {
        position_encoding: Some(abilities.encoding.kind()),
        text_document_sync: Some(TextDocumentSync::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::Incremental),
            save: Some(Save::Bool(true)),
            ..Default::default()
        })),
        diagnostic_provider: Some(DiagnosticProvider::DiagnosticOptions(DiagnosticOptions {
            identifier: Some("star".to_owned()),
            inter_file_dependencies: true,
            workspace_diagnostics: false,
            ..Default::default()
        })),
        code_action_provider: Some(CodeActionProvider::CodeActionOptions(CodeActionOptions {
            code_action_kinds: Some(actions::kinds()),
            ..Default::default()
        })),
        hover_provider: Some(HoverProvider::Bool(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: strings(&["\"", "/", ":"]),
            resolve_provider: Some(true),
            ..Default::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: strings(&["(", ","]),
            retrigger_characters: strings(&[")"]),
            ..Default::default()
        }),
        definition_provider: Some(DefinitionProvider::Bool(true)),
        references_provider: Some(ReferencesProvider::Bool(true)),
        document_highlight_provider: Some(DocumentHighlightProvider::Bool(true)),
        document_link_provider: Some(DocumentLinkOptions::default()),
        rename_provider: Some(RenameProvider::RenameOptions(RenameOptions {
            prepare_provider: Some(true),
            ..Default::default()
        })),
        document_symbol_provider: Some(DocumentSymbolProvider::Bool(true)),
        workspace_symbol_provider: Some(WorkspaceSymbolProvider::Bool(true)),
        folding_range_provider: Some(FoldingRangeProvider::Bool(true)),
        selection_range_provider: Some(SelectionRangeProvider::Bool(true)),
        document_formatting_provider: Some(DocumentFormattingProvider::Bool(true)),
        document_range_formatting_provider: Some(DocumentRangeFormattingProvider::Bool(true)),
        document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
            first_trigger_character: "\n".to_owned(),
            more_trigger_character: strings(&[";"]),
        }),
        semantic_tokens_provider: Some(SemanticTokensProvider::SemanticTokensOptions(
            SemanticTokensOptions {
                legend: tokens::legend(),
                range: Some(SemanticTokensOptionsRange::Bool(true)),
                full: Some(Full::Bool(true)),
                ..Default::default()
            },
        )),
        inlay_hint_provider: Some(InlayHintProvider::Bool(true)),
        code_lens_provider: Some(CodeLensOptions::default()),
        call_hierarchy_provider: Some(CallHierarchyProvider::Bool(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands.map(|&name| name.to_owned()).collect(),
            ..Default::default()
        }),
        workspace: Some(WorkspaceOptions {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(ChangeNotifications::Bool(true)),
            }),
            ..Default::default()
        }),
        ..Default::default()
    }
}
