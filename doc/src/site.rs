//! Documentation as a site: an index, one page for each module, one style sheet, and a search that
//! needs no server. Without JavaScript the search box stays hidden; everything else works. All
//! links stay inside the site.

use std::collections::BTreeSet;

use maud::{Markup, html};
use star_base::text::printable;
use star_report::html::{self, Style};
use star_syntax::doc::{Block, Doc, RoutineDoc, Section, blocks};

use crate::catalogue::{Catalogue, Module, ModuleKind};
use crate::links::{In, Links};
use crate::search;

/// The first page of a site.
pub const INDEX: &str = "index.html";
const STYLE_FILE: &str = "style.css";
const SEARCH_FILE: &str = "search.js";
/// Searches for words in `ENTRIES`.
const SEARCH: &str = include_str!("search.js");

/// Returns the files of the site for these modules: name and text.
pub fn site(catalogue: &Catalogue, modules: &[usize]) -> Vec<(String, String)> {
    // Two files may have the same name, or that of the index.
    let mut taken = BTreeSet::from(["index".to_owned()]);
    let mut links = Links::default();
    let mut pages: Vec<(&Module, String)> = Vec::new();
    for &idx in modules {
        let module = catalogue.at(idx);
        let base = file_name(module.short_name());
        let numbered = (2..).map(|n| format!("{base}-{n}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let name = names.find(|name| !taken.contains(&name.to_lowercase())).unwrap_or(base);
        taken.insert(name.to_lowercase());
        let page = format!("{name}.html");
        // Words such as `table` occur everywhere.
        let linked =
            if module.kind == ModuleKind::Language { &[][..] } else { &module.routines[..] };
        for routine in linked {
            links.add(&routine.name, &page);
        }
        pages.push((module, page));
    }
    let style = (STYLE_FILE.to_owned(), html::STYLE.to_owned());
    let script = (SEARCH_FILE.to_owned(), format!("{}{SEARCH}", entries(&pages)));
    let mut site = vec![(INDEX.to_owned(), index(&pages)), style, script];
    for (module, page) in &pages {
        let writer = Writer { links: &links, page, own: None };
        site.push((page.clone(), writer.module(module)));
    }
    site
}

/// Returns the name without characters that are unsafe in file names or URLs.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    match name.chars().map(safe).collect::<String>() {
        name if name.is_empty() => "_".to_owned(),
        name => name,
    }
}

fn index(pages: &[(&Module, String)]) -> String {
    let library = pages.iter().all(|(module, _)| module.kind != ModuleKind::File);
    let title = if library { "The library of Star" } else { "Documentation" };
    let body = html! {
        h1 { (title) } "\n"
        @for (module, page) in pages {
            @let about = module.head.as_ref().map(Doc::summary).unwrap_or_default();
            h2 { a href=(page) { (printable(&module.title)) } } "\n"
            p { (printable(&about)) } "\n"
            (table(page, &module.routines))
        }
    };
    document(title, &body)
}

/// Returns the table of the routines of a page, one line each.
fn table(page: &str, routines: &[RoutineDoc]) -> Markup {
    let rows = routines.iter().map(|RoutineDoc { name, doc, .. }| {
        let about = doc.as_ref().map(Doc::summary).unwrap_or_default();
        html! { tr { td { (link(page, name)) } td { (printable(&about)) } } }
    });
    html::table(None, &[], rows)
}

/// Returns a name as a link to its documentation.
fn link(page: &str, name: &str) -> Markup {
    html! { a href={ (page) "#" (printable(name)) } { (printable(name)) } }
}

fn document(title: &str, body: &Markup) -> String {
    let body = html! {
        nav {
            a href=(INDEX) { "Contents" }
            form.search role="search" hidden {
                input type="search" placeholder="Search" aria-label="Search" autocomplete="off";
                ul {}
            }
        }
        "\n"
        main { "\n" (body) } "\n"
        script src=(SEARCH_FILE) {} "\n"
    };
    html::page(html::PageKind::Documentation, title, Style::File(STYLE_FILE), &body)
}

/// Returns the search entries as a constant of a script: name, address, first sentence, all words,
/// in this order.
fn entries(pages: &[(&Module, String)]) -> String {
    let mut rows = Vec::new();
    for (module, page) in pages {
        let about = module.head.as_ref().map(Doc::summary).unwrap_or_default();
        let text = module.head.as_ref().map(search::text_of).unwrap_or_default();
        rows.push([printable(&module.title).into_owned(), page.clone(), about.clone(), text]);
        for RoutineDoc { name, doc, signature, .. } in &module.routines {
            let own = doc.as_ref().map(Doc::summary).unwrap_or_default();
            let text = doc.as_ref().map(search::text_of).unwrap_or_default();
            let name = printable(name).into_owned();
            let address = format!("{page}#{name}");
            rows.push([name, address, own, format!("{signature} {text} {about}")]);
        }
    }
    let row = |[name, address, about, text]: &[String; 4]| {
        // Words are separated by single blanks: the text is only searched, not shown.
        let text: Vec<&str> = text.split_whitespace().collect();
        let fields = [name, address, about, &text.join(" ")].map(|field| js_string(field));
        format!("[{}]", fields.join(","))
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("const ENTRIES = [\n{}\n];\n", rows.join(",\n"))
}

/// Returns a string literal of a script. A script in a separate file needs no escaping of markup,
/// but of line ends.
fn js_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\u{2028}' | '\u{2029}' => quoted.push(' '),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A writer of one page; comments contain no links to `own`, the routine that they document.
struct Writer<'a> {
    links: &'a Links,
    page: &'a str,
    own: Option<&'a str>,
}

impl<'a> Writer<'a> {
    fn module(&self, module: &'a Module) -> String {
        let body = html! {
            h1 { (printable(&module.title)) } "\n"
            p.faint { code { (printable(&module.access())) } } "\n"
            @if let Some(head) = &module.head { (self.comment(head)) }
            (table(self.page, &module.routines))
            @for routine in &module.routines {
                (Writer { own: Some(&routine.name), ..*self }.routine(routine))
            }
        };
        document(&module.title, &body)
    }

    fn routine(&self, routine: &RoutineDoc) -> Markup {
        let RoutineDoc { name, kind: _, header: _, signature, doc } = routine;
        html! {
            section id=(printable(name)) {
                "\n" h2 { (link("", name)) }
                "\n" pre.signature { (self.linked(signature, In::Code)) } "\n"
                @match doc {
                    Some(doc) => (self.comment(doc)),
                    None => { p { "No documentation comment." } "\n" }
                }
            }
            "\n"
        }
    }

    fn comment(&self, doc: &Doc) -> Markup {
        html! {
            @for block in &blocks(&doc.text) { (self.block(block, None)) }
            @for section in &doc.sections { (self.section(section)) }
        }
    }

    fn section(&self, section: &Section) -> Markup {
        let Section { label, arguments, span: _, lines } = section;
        let label = label.as_str();
        if section.label.is_verbatim() {
            return html! {
                p {
                    @if arguments.is_empty() { b { (label) ":" } }
                    @else { b { (label) } ", " code { (printable(arguments)) } }
                }
                "\n" pre { (self.linked(section.text().trim_end(), In::Code)) } "\n"
            };
        }
        let blocks = blocks(lines);
        let (first, rest) = match blocks.split_first() {
            Some((first @ (Block::Prose(_) | Block::List(_)), rest)) => (Some(first), rest),
            Some((Block::Verbatim(_), _)) | None => (None, &blocks[..]),
        };
        html! {
            @match first {
                Some(first) => (self.block(first, Some(label))),
                None => { p { b { (label) ":" } } "\n" }
            }
            @for block in rest { (self.block(block, None)) }
        }
    }

    fn block(&self, block: &Block, label: Option<&str>) -> Markup {
        let label = html! { @if let Some(label) = label { b { (label) ":" } " " } };
        html! {
            @match block {
                Block::Prose(text) => p { (label) (self.prose(text)) },
                Block::List(items) => p {
                    (label)
                    @for (idx, item) in items.iter().enumerate() {
                        @if idx > 0 { br; "\n" }
                        (self.prose(item))
                    }
                },
                Block::Verbatim(lines) => pre { (self.linked(&lines.join("\n"), In::Prose)) },
            }
            "\n"
        }
    }

    /// Formats a sentence; text in backticks is code.
    fn prose(&self, text: &str) -> Markup {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, (code, behind))) =
            rest.split_once('`').and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
        {
            pieces.push((before, code));
            rest = behind;
        }
        html! {
            @for (before, code) in pieces {
                (self.linked(before, In::Prose)) code { (self.linked(code, In::Code)) }
            }
            (self.linked(rest, In::Prose))
        }
    }

    /// Formats the text with links for the names in it.
    fn linked(&self, text: &str, place: In) -> Markup {
        let pieces = self.links.pieces(text, self.page, place);
        html! {
            @for (piece, page) in pieces {
                @match page {
                    Some(page) if Some(piece) != self.own || page != self.page => (link(page, piece)),
                    Some(_) | None => (printable(piece)),
                }
            }
        }
    }
}
