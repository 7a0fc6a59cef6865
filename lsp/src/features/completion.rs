//! Completion: names that are visible at the cursor, routines of modules that can be imported,
//! keywords and their forms; in strings files, modules and layouts, in headers values.

use std::path::Path;

use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::document::mapped;
use crate::features::{data, docs, hover};
use crate::protocol::markdown;
use crate::protocol::types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionItemTextEdit,
    CompletionList, CompletionParams, Documentation, InsertTextFormat, Range, TextEdit,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{
    Builtin, LIBRARY, MODULE, ModuleKind, RoutineDoc, Span, ast, cursor, doc, hir, language,
};

/// Forms of statements and items: name, description, text with placeholders.
const FORMS: &[(&str, &str, &str)] = &[
    ("for … do", "a loop that counts", "for ${1:i}:=${2:1} to ${3:n} do\n\t${0}"),
    ("forall … do", "a loop with independent iterations", "forall ${1:i} in ${2:X} do\n\t${0}"),
    ("foreach … do", "a loop over the ones of a slice", "foreach ${1:i} in ${2:X} do\n\t${0}"),
    (
        "while … do",
        "a loop that runs while a condition holds",
        "while ${1:SOME(X)} do\nbegin\n\t${0}\nend;",
    ),
    (
        "repeat … until",
        "a loop that runs until a condition holds",
        "repeat\n\t${0}\nuntil ${1:ZERO(X)};",
    ),
    ("if … then", "a choice", "if ${1:SOME(X)} then\n\t${0}"),
    (
        "if … then … else",
        "a choice with two branches",
        "if ${1:SOME(X)} then\n\t${2}\nelse\n\t${0}",
    ),
    ("begin … end", "several statements as one", "begin\n\t${0}\nend;"),
    (
        "procedure … end",
        "a procedure",
        "procedure ${1:NAME}(${2:T: table; var X: slice});\nbegin\n\t${0}\nend;",
    ),
    (
        "function … end",
        "a function",
        "function ${1:NAME}(${2:X: slice}): ${3:integer};\nbegin\n\t${1:NAME}:=${0}\nend;",
    ),
    (
        "program … end",
        "the routine that `star run` runs",
        "program ${1:NAME};\nbegin\n\t${0}\nend.",
    ),
    (
        "@test",
        "a test of a routine",
        "/* @test ${1:title}\n   run ${2:NAME}\n   ${3:n = 3}\n   expect ${4:P = 011 001 000} */",
    ),
    (
        "@bench",
        "a benchmark of a routine",
        "/* @bench ${1:title}\n   run ${2:NAME}\n   bench ${3:n = 250, 500} */",
    ),
];

/// Answers a request for candidates.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn complete(
    context: &Context<'_>,
    params: CompletionParams,
) -> Result<CompletionList, Refusal> {
    let at = params.text_document_position_params;
    let analysis = context.analysis(&at.text_document.uri)?;
    let offset = analysis.offset(at.position);
    let before = &analysis.text()[..offset];
    let found = cursor::context(before);
    let list = |items| CompletionList { is_incomplete: false, items, ..Default::default() };
    if let Some(quote) = found.string {
        return Ok(list(in_string(&analysis, &found, quote, offset)));
    }
    if found.closed_off {
        return Ok(list(in_header(&analysis, &found, offset)));
    }
    let start = word_start(before, cursor::is_word);
    let word = &before[start..];
    if word.starts_with(|c: char| c.is_ascii_digit()) || before[..start].ends_with('.') {
        return Ok(list(Vec::new()));
    }
    let mut items = Items { context, analysis: &analysis, offset, at: start, list: Vec::new() };
    let hyphenated = word_start(before, |c| cursor::is_word(c) || c == '-');
    if before[hyphenated..].contains('-') {
        items.hyphenated(hyphenated);
    }
    items.at = start;
    if before[..start].trim_end().ends_with(':') && !before[..start].trim_end().ends_with("else:") {
        items.types();
    } else {
        items.locals();
        items.constants();
        items.routines();
        items.builtins();
        items.keywords();
        items.forms();
        items.importable();
    }
    Ok(list(items.list))
}

fn word_start(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    let inside = text.char_indices().rev().take_while(|&(_, c)| is_part(c));
    inside.last().map_or(text.len(), |(at, _)| at)
}

struct Items<'a> {
    context: &'a Context<'a>,
    analysis: &'a Analysis,
    /// The cursor.
    offset: usize,
    /// The beginning of the word before it.
    at: usize,
    list: Vec<CompletionItem>,
}

impl Items<'_> {
    fn range(&self) -> Range {
        self.analysis.range_of(self.at..self.offset)
    }

    /// Adds a candidate. Those with a smaller `rank` come first.
    fn add(&mut self, label: &str, kind: CompletionItemKind, rank: u8) -> &mut CompletionItem {
        let edit = TextEdit { range: self.range(), new_text: label.to_owned() };
        self.list.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            sort_text: Some(format!("{rank}{}", label.to_lowercase())),
            text_edit: Some(CompletionItemTextEdit::TextEdit(edit)),
            ..Default::default()
        });
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// Adds a candidate with arguments in parentheses.
    fn add_call(
        &mut self,
        label: &str,
        params: &[String],
        kind: CompletionItemKind,
        rank: u8,
    ) -> &mut CompletionItem {
        let snippets = self.context.state.abilities.snippets;
        // Parentheses that are there already stay.
        let has_arguments = self.analysis.text()[self.offset..].starts_with('(');
        let shown = format!("({})", params.join(", "));
        let item = self.add(label, kind, rank);
        if !params.is_empty() {
            item.label_details =
                Some(CompletionItemLabelDetails { detail: Some(shown), description: None });
        }
        if snippets && !params.is_empty() && !has_arguments {
            let places = params.iter().enumerate();
            let places = places.map(|(idx, name)| format!("${{{}:{}}}", idx + 1, escaped(name)));
            let text = format!("{label}({})", places.collect::<Vec<_>>().join(", "));
            if let Some(CompletionItemTextEdit::TextEdit(edit)) = &mut item.text_edit {
                edit.new_text = text;
            }
            item.insert_text_format = Some(InsertTextFormat::Snippet);
        }
        item
    }

    /// Adds the variables of the routine around the cursor.
    fn locals(&mut self) {
        let last_parsed = self.context.state.last_parsed(&self.analysis.uri);
        let found =
            routine_around(self.analysis, self.offset).map(|routine| (self.analysis, routine));
        let old = last_parsed.as_deref().and_then(|old| {
            // The word itself is new.
            let offset = mapped(self.analysis.text(), old.text(), self.at)
                .or_else(|| mapped(self.analysis.text(), old.text(), self.offset))?;
            Some((old, routine_around(old, offset)?))
        });
        let Some((analysis, routine)) = found.or(old) else { return };
        let locals: Vec<(String, String)> = routine
            .locals
            .iter()
            .filter(|local| local.role != hir::Role::Result && !local.is_hidden())
            .map(|local| (local.name.clone(), hover::declared_type(analysis, routine, local)))
            .collect();
        for (name, ty) in locals {
            self.add(&name, CompletionItemKind::Variable, 1).detail = Some(ty);
        }
    }

    fn constants(&mut self) {
        let analysis = self.analysis;
        let visible = analysis.index.visible(analysis.root());
        let constants = analysis.index.constants.iter();
        for one in constants.filter(|one| visible.contains(&one.span.file)) {
            let value = analysis.compilation.sources.slice(one.value).to_owned();
            self.add(&one.name, CompletionItemKind::Constant, 2).detail = Some(value);
        }
    }

    fn routines(&mut self) {
        let analysis = self.analysis;
        for (id, routine) in analysis.callable() {
            if routine.kind == ast::RoutineKind::Program {
                continue;
            }
            let params: Vec<String> =
                routine.params.iter().map(|&param| routine.local(param).name.clone()).collect();
            let rank = if analysis.is_shipped(routine.header.file) { 3 } else { 2 };
            let uri = &analysis.uri.0;
            let item = self.add_call(&routine.name, &params, CompletionItemKind::Function, rank);
            item.data = Some(json!({ "routine": id.0, "uri": uri, "name": routine.name }));
        }
    }

    /// Adds the procedures with hyphens in their names, which a statement may call.
    fn hyphenated(&mut self, start: usize) {
        self.at = start;
        let analysis = self.analysis;
        for (id, routine) in analysis.callable().filter(|(_, one)| one.name.contains('-')) {
            let params: Vec<String> =
                routine.params.iter().map(|&param| routine.local(param).name.clone()).collect();
            let uri = &analysis.uri.0;
            let item = self.add_call(&routine.name, &params, CompletionItemKind::Function, 1);
            item.data = Some(json!({ "routine": id.0, "uri": uri, "name": routine.name }));
        }
    }

    fn builtins(&mut self) {
        for &builtin in Builtin::ALL {
            let usage = builtin.usage();
            let inside = usage.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
            let params: Vec<String> =
                inside.into_iter().flat_map(|it| it.split(',')).map(str::to_owned).collect();
            let kind = match builtin.is_value() {
                true => CompletionItemKind::Operator,
                false => CompletionItemKind::Method,
            };
            let item = self.add_call(builtin.name(), &params, kind, 3);
            item.detail = Some(builtin.summary().to_owned());
            item.data = Some(json!({ "builtin": builtin.name() }));
        }
    }

    fn keywords(&mut self) {
        for word in language::keywords() {
            let item = self.add(word, CompletionItemKind::Keyword, 4);
            item.data = Some(json!({ "keyword": word }));
        }
    }

    fn types(&mut self) {
        for word in ["integer", "boolean", "string", "slice", "word", "table", "handle"] {
            let item = self.add(word, CompletionItemKind::Keyword, 1);
            item.data = Some(json!({ "keyword": word }));
        }
    }

    fn forms(&mut self) {
        if !self.context.state.abilities.snippets {
            return;
        }
        for (label, about, text) in FORMS {
            let item = self.add(label, CompletionItemKind::Snippet, 5);
            item.detail = Some((*about).to_owned());
            item.insert_text_format = Some(InsertTextFormat::Snippet);
            if let Some(CompletionItemTextEdit::TextEdit(edit)) = &mut item.text_edit {
                edit.new_text = (*text).to_owned();
            }
        }
    }

    /// Adds the routines of library modules that are not imported, with the import.
    fn importable(&mut self) {
        // Only for a word of two letters: there are many.
        if self.offset - self.at < 2 {
            return;
        }
        let word = self.analysis.text()[self.at..self.offset].to_lowercase();
        let state = self.context.state;
        for (_, module) in state.catalogue().modules() {
            let imported = self
                .analysis
                .index
                .files
                .iter()
                .any(|file| self.analysis.source(file.file).name() == module.title);
            if module.kind != ModuleKind::Imported || imported {
                continue;
            }
            let suits = |one: &&RoutineDoc| one.name.to_lowercase().contains(&word);
            for routine in module.routines.iter().filter(suits) {
                let params = params_of(routine);
                let edit = import_edit(self.analysis, &module.title);
                let kind = CompletionItemKind::Function;
                let item = self.add_call(&routine.name, &params, kind, 6);
                item.detail = Some(format!("import \"{}\";", module.title));
                item.additional_text_edits = Some(vec![edit]);
                item.data = Some(json!({ "module": module.title, "name": routine.name }));
            }
        }
    }
}

/// Returns the names of the parameters in a signature.
fn params_of(routine: &RoutineDoc) -> Vec<String> {
    let inside = routine.signature.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'));
    let Some((inside, _)) = inside else { return Vec::new() };
    let mut names = Vec::new();
    for group in inside.split(';') {
        let Some((list, _)) = group.split_once(':') else { continue };
        let list = list.trim().trim_start_matches("var ");
        names.extend(list.split(',').map(|name| name.trim().to_owned()));
    }
    names
}

/// Returns the edit that imports a module: after the last import, or before the first item.
pub(crate) fn import_edit(analysis: &Analysis, path: &str) -> TextEdit {
    let text = analysis.text();
    let mut imports = analysis.parsed.file.items.iter().filter_map(|item| match item {
        ast::Item::Import { path: _, span } => Some(span.end as usize),
        ast::Item::Const { .. } | ast::Item::Type(_) | ast::Item::Routine(_) => None,
    });
    let line_after = |at: usize| text[at..].find('\n').map_or(text.len(), |len| at + len + 1);
    let (at, text) = match imports.next_back() {
        Some(end) => {
            let at = line_after(end);
            let separate = if text[..at].ends_with('\n') { "" } else { "\n" };
            (at, format!("{separate}import \"{path}\";\n"))
        }
        None => {
            let head = head_end(analysis);
            (head, format!("import \"{path}\";\n\n"))
        }
    };
    TextEdit { range: analysis.range_of(at..at), new_text: text }
}

/// Returns the end of the comment that documents the file.
fn head_end(analysis: &Analysis) -> usize {
    let text = analysis.text();
    let Some(first) = analysis.parsed.comments.first() else { return 0 };
    let blank_before = text[..first.start as usize].trim().is_empty();
    let after = &text[first.end as usize..];
    let blanks = after.len() - after.trim_start().len();
    let is_head = blank_before && after[..blanks].matches('\n').count() >= 2;
    if is_head { first.end as usize + blanks } else { 0 }
}

/// Returns the routine around a byte.
fn routine_around(analysis: &Analysis, offset: usize) -> Option<&hir::Routine> {
    let tree = analysis.routine_at(offset)?;
    analysis.routine_named_at(tree.name.span).map(|(_, routine)| routine)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

/// Returns the candidates in a string: modules, files, or the layouts of a file.
fn in_string(
    analysis: &Analysis,
    found: &cursor::Context,
    quote: usize,
    offset: usize,
) -> Vec<CompletionItem> {
    let text = analysis.text();
    let inside = &text[quote + 1..offset];
    let folder = folder(analysis);
    let reads = found.open.last().filter(|open| open.name.eq_ignore_ascii_case("read"));
    if reads.is_some_and(|open| open.argument == 2) {
        // The layout is the first word; settings follow.
        if inside.contains(' ') {
            return Vec::new();
        }
        let [.., file, _] = &found.parts[..] else { return Vec::new() };
        let file = text[file.0.clone()].trim_matches('"');
        let path = folder.map(|folder| folder.join(file));
        return items(analysis, quote + 1..offset, data::layouts_of(path.as_deref()));
    }
    let word = found.word.clone().map_or("", |word| &text[word]);
    let is_import = word.eq_ignore_ascii_case("import");
    let mut files = folder.map(|folder| data::files(folder, inside)).unwrap_or_default();
    files.retain(|one| !is_import || one.kind == data::Kind::Folder || one.text.ends_with(".star"));
    let mut all = items(analysis, quote + 1..offset, files);
    if is_import {
        let modules = LIBRARY.modules.iter().map(|(name, _)| format!("{MODULE}{name}"));
        let about = "library".to_owned();
        let range = analysis.range_of(quote + 1..offset);
        all.extend(modules.map(|name| item(&name, CompletionItemKind::Module, &about, range)));
    }
    all
}

/// Returns the candidates for a value in the header of a test or benchmark.
fn in_header(analysis: &Analysis, found: &cursor::Context, offset: usize) -> Vec<CompletionItem> {
    let text = &analysis.text()[..offset];
    let Some((range, cursor::Part::Comment)) = found.parts.last() else { return Vec::new() };
    let comment = Span::new(analysis.root(), range.start as u32, range.end as u32);
    let is_header =
        doc::header_word(text, comment).is_some_and(|it| ["test", "bench"].contains(&it));
    let line = text.rfind('\n').map_or(0, |at| at + 1).max(range.start);
    let word = text.rfind([' ', ',', '\n']).map_or(0, |at| at + 1);
    // In `code:FIELD=VALUE`, the sign belongs to the value.
    let sign = match text[word..].starts_with("code:") {
        true => None,
        false => text[word..].find('=').map(|at| word + at),
    };
    let start = sign.map_or(word, |at| at + 1);
    let assigned = text[line..start].contains('=');
    match folder(analysis) {
        Some(folder) if is_header && assigned => {
            items(analysis, start..offset, data::values(&text[start..], folder))
        }
        Some(_) | None => Vec::new(),
    }
}

/// Returns the folder of a document.
fn folder(analysis: &Analysis) -> Option<&Path> {
    analysis.path_of(analysis.root()).and_then(|path| path.parent())
}

fn items(
    analysis: &Analysis,
    replaced: std::ops::Range<usize>,
    found: Vec<data::Candidate>,
) -> Vec<CompletionItem> {
    let range = analysis.range_of(replaced);
    let kind = |of: data::Kind| match of {
        data::Kind::Layout => CompletionItemKind::EnumMember,
        data::Kind::Column => CompletionItemKind::Field,
        data::Kind::File => CompletionItemKind::File,
        data::Kind::Folder => CompletionItemKind::Folder,
    };
    found.iter().map(|one| item(&one.text, kind(one.kind), &one.detail, range)).collect()
}

fn item(label: &str, kind: CompletionItemKind, detail: &str, range: Range) -> CompletionItem {
    let edit = TextEdit { range, new_text: label.to_owned() };
    CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        detail: (!detail.is_empty()).then(|| detail.to_owned()),
        text_edit: Some(CompletionItemTextEdit::TextEdit(edit)),
        ..Default::default()
    }
}

/// Adds the documentation to a candidate.
///
/// # Errors
/// Never.
pub(crate) fn resolve(
    context: &Context<'_>,
    mut item: CompletionItem,
) -> Result<CompletionItem, Refusal> {
    let data: Value = item.data.as_ref().map(crate::protocol::to_json).unwrap_or_default();
    let text = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
    let state = context.state;
    let doc = if let Some(id) = data["routine"].as_u64() {
        let uri = crate::protocol::types::Uri(text("uri"));
        let analysis = state.last_known(&uri);
        let id = crate::toolchain::RoutineId(id as u32);
        analysis.and_then(|analysis| {
            // The number may belong to another routine after an edit.
            let same = analysis.routine(id).is_some_and(|one| one.name == text("name"));
            same.then(|| docs::of_routine(state, &analysis, id)).flatten()
        })
    } else if let Some(name) = data["builtin"].as_str() {
        Builtin::find(name).and_then(|builtin| docs::of_builtin(state, builtin))
    } else if let Some(word) = data["keyword"].as_str() {
        docs::of_keyword(state, word)
    } else if data["module"].is_string() {
        let (module, name) = (text("module"), text("name"));
        let mut found = docs::importable(state, &name);
        found.find(|(title, one)| *title == module && one.name == name).map(|(_, one)| one.clone())
    } else {
        None
    };
    if let Some(doc) = doc {
        item.documentation = Some(Documentation::MarkupContent(markdown(docs::page(&doc))));
    }
    Ok(item)
}
