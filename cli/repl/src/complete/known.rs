//! The names known to a session, and the existing files.

use std::sync::LazyLock;

use star_base::{SourceFile, SourceMap};
use star_io::Layout;
use star_syntax::ast;

use super::names::{Files, Names, Signature};
use crate::session::Session;

/// Maximum number of files read from one folder.
const MAX_FILES: usize = 10_000;

/// The routines of the modules of the library.
static LIBRARY_ROUTINES: LazyLock<Vec<(Signature, String)>> = LazyLock::new(|| {
    let mut found = Vec::new();
    for (name, text) in star_stdlib::MODULES {
        let mut sources = SourceMap::new();
        let id = sources.add(SourceFile::new(*name, (*text).to_owned()));
        let parsed = star_syntax::parse(id, text);
        for item in &parsed.file.items {
            if let ast::Item::Routine(routine) = item {
                found.push((signature(routine, &sources), format!("star:{name}")));
            }
        }
    }
    found
});

/// Returns the current names of a session.
pub fn names(session: &Session) -> Names {
    let definitions = session.definitions();
    let mut values: Vec<String> =
        session.view().variables().map(|(name, _)| name.to_owned()).collect();
    let view = session.view();
    let fields = view.variables().filter_map(|(name, variable)| {
        let fields = &variable.record.as_ref()?.fields;
        let names = fields.iter().map(|field| field.name.split('[').next().unwrap_or_default());
        Some((name.to_owned(), names.map(str::to_owned).collect()))
    });
    let fields = fields.collect();
    let mut routines = Vec::new();
    for item in definitions.visible_items() {
        match item {
            ast::Item::Routine(routine) => {
                routines.push(signature(routine, definitions.sources()));
            }
            ast::Item::Const { name, .. } => values.push(name.name.to_string()),
            ast::Item::Import { .. } | ast::Item::Type(_) => {}
        }
    }
    let imported: Vec<&str> = definitions.imports().map(|(path, _)| path).collect();
    let is_unimported = |(routine, module): &&(Signature, String)| {
        !imported.contains(&module.as_str())
            && !routines.iter().any(|known: &Signature| known.name == routine.name)
    };
    let unimported = LIBRARY_ROUTINES.iter().filter(is_unimported).cloned().collect();
    let layouts = Layout::ALL.iter().map(|layout| layout.name());
    Names {
        values,
        fields,
        routines,
        unimported,
        modules: star_stdlib::MODULES.iter().map(|(name, _)| format!("star:{name}")).collect(),
        layouts: layouts.chain(["updates", "records", "grid"]).map(str::to_owned).collect(),
        backends: star::pipeline::backends::names().map(str::to_owned).collect(),
    }
}

/// Returns the part of the header after the name, on one line.
fn signature(routine: &ast::Routine, sources: &SourceMap) -> Signature {
    let header = sources.slice(routine.header);
    let behind = (routine.name.span.end.saturating_sub(routine.header.start)) as usize;
    let params = header.get(behind..).unwrap_or_default();
    let params = params.split_whitespace().collect::<Vec<_>>().join(" ");
    Signature {
        name: routine.name.name.to_string(),
        params: params.trim_end_matches(';').trim_end().to_owned(),
    }
}

/// The file system.
pub struct Disk;

impl Files for Disk {
    fn names_in(&self, folder: &str) -> Vec<String> {
        let folder = if folder.is_empty() { "." } else { folder };
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let name = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            // Follow links to folders.
            let is_folder = std::fs::metadata(entry.path()).is_ok_and(|found| found.is_dir());
            Some(if is_folder { format!("{name}/") } else { name })
        };
        entries.take(MAX_FILES).filter_map(|entry| name(entry.ok()?)).collect()
    }
}
