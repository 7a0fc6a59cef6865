//! Documentation as a site: an index, one page for each module, one style sheet. It needs no script,
//! and its links stay inside it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use star_syntax::doc::{Block, Doc, RoutineDoc, Section, blocks};

use super::links::{In, Links};
use super::shelf::{Kind, Module, Shelf};
use star_report::html::{self, Style, escaped};

const MORE_STYLE: &str = include_str!("style.css");
const INDEX: &str = "index.html";
const STYLE_FILE: &str = "style.css";

/// The files of the site for these modules: name and text.
pub(crate) fn site(shelf: &Shelf, modules: &[usize]) -> Vec<(String, String)> {
    // Two files may have one name, or that of the index.
    let mut taken = BTreeSet::from(["index".to_owned()]);
    let mut links = Links::default();
    let mut pages: Vec<(&Module, String)> = Vec::new();
    for &idx in modules {
        let module = shelf.at(idx);
        let base = file_name(module.short_name());
        let numbered = (2..).map(|n| format!("{base}-{n}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let name = names.find(|name| !taken.contains(&name.to_lowercase())).unwrap_or(base);
        taken.insert(name.to_lowercase());
        let page = format!("{name}.html");
        // A word such as `table` stands everywhere.
        let linked = if module.kind == Kind::Language { &[][..] } else { &module.routines[..] };
        for routine in linked {
            links.add(&routine.name, &page);
        }
        pages.push((module, page));
    }
    let style = format!("{}{MORE_STYLE}", html::STYLE);
    let mut site = vec![(INDEX.to_owned(), index(&pages)), (STYLE_FILE.to_owned(), style)];
    for (module, page) in &pages {
        let writer = Writer { links: &links, page };
        site.push((page.clone(), writer.module(module)));
    }
    site
}

/// The name without what a file system or an address might not like.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    match name.chars().map(safe).collect::<String>() {
        name if name.is_empty() => "_".to_owned(),
        name => name,
    }
}

fn index(pages: &[(&Module, String)]) -> String {
    let library = pages.iter().all(|(module, _)| module.kind != Kind::File);
    let title = if library { "The library of Star" } else { "Documentation" };
    let mut body = format!("<h1>{title}</h1>\n");
    for (module, page) in pages {
        let about = module.head.as_ref().map(Doc::summary).unwrap_or_default();
        let _ = writeln!(
            body,
            "<h2><a href=\"{page}\">{}</a></h2>\n<p>{}</p>\n{}",
            escaped(&module.title),
            escaped(&about),
            table(page, &module.routines)
        );
    }
    document(title, &body)
}

/// The routines of a page, one line each.
fn table(page: &str, routines: &[RoutineDoc]) -> String {
    let rows = routines.iter().map(|routine| {
        let about = routine.doc.as_ref().map(Doc::summary).unwrap_or_default();
        let name = escaped(&routine.name);
        format!(
            "<tr><td><a href=\"{page}#{name}\">{name}</a></td><td>{}</td></tr>\n",
            escaped(&about)
        )
    });
    format!("<table>\n{}</table>\n", rows.collect::<String>())
}

fn document(title: &str, body: &str) -> String {
    let body = format!("<nav><a href=\"{INDEX}\">Contents</a></nav>\n<main>\n{body}</main>\n");
    html::page(title, Style::File(STYLE_FILE), &body)
}

/// Writes one page.
struct Writer<'a> {
    links: &'a Links,
    page: &'a str,
}

impl Writer<'_> {
    fn module(&self, module: &Module) -> String {
        let title = escaped(&module.title);
        let mut body = format!(
            "<h1>{title}</h1>\n<p class=\"access\"><code>{}</code></p>\n",
            escaped(&module.access())
        );
        if let Some(head) = &module.head {
            body += &self.comment(head, None);
        }
        body += &table(self.page, &module.routines);
        for routine in &module.routines {
            body += &self.routine(routine);
        }
        document(&module.title, &body)
    }

    fn routine(&self, routine: &RoutineDoc) -> String {
        let RoutineDoc { name, kind: _, header: _, signature, doc } = routine;
        let id = escaped(name);
        let about = match doc {
            Some(doc) => self.comment(doc, Some(name)),
            None => "<p>No comment documents it.</p>\n".to_owned(),
        };
        format!(
            "<section id=\"{id}\">\n<h2><a href=\"#{id}\">{id}</a></h2>\n<pre class=\"signature\">{}</pre>\n{about}</section>\n",
            self.linked(signature, In::Code, Some(name))
        )
    }

    /// A comment; its own name is no link.
    fn comment(&self, doc: &Doc, own: Option<&str>) -> String {
        let text = blocks(&doc.text);
        let text = text.iter().map(|block| self.block(block, None, own));
        let sections = doc.sections.iter().map(|section| self.section(section, own));
        text.chain(sections).collect()
    }

    fn section(&self, section: &Section, own: Option<&str>) -> String {
        let Section { label, arguments, span: _, lines } = section;
        let label = escaped(label.as_str());
        if section.label.is_verbatim() {
            let title = match arguments.as_str() {
                "" => format!("<b>{label}:</b>"),
                given => format!("<b>{label}</b>, <code>{}</code>", escaped(given)),
            };
            let code = self.linked(section.text().trim_end(), In::Code, own);
            return format!("<p>{title}</p>\n<pre>{code}</pre>\n");
        }
        let blocks = blocks(lines);
        let mut blocks = blocks.iter();
        let first = match blocks.as_slice().first() {
            Some(first @ (Block::Prose(_) | Block::List(_))) => {
                blocks.next();
                self.block(first, Some(&label), own)
            }
            Some(Block::Verbatim(_)) | None => format!("<p><b>{label}:</b></p>\n"),
        };
        blocks.fold(first, |html, block| html + &self.block(block, None, own))
    }

    fn block(&self, block: &Block, label: Option<&str>, own: Option<&str>) -> String {
        let label = label.map_or_else(String::new, |label| format!("<b>{label}:</b> "));
        match block {
            Block::Prose(text) => {
                format!("<p>{label}{}</p>\n", self.prose(text, own))
            }
            Block::List(items) => {
                let items: Vec<String> = items.iter().map(|item| self.prose(item, own)).collect();
                format!("<p>{label}{}</p>\n", items.join("<br>\n"))
            }
            Block::Verbatim(lines) => {
                format!("<pre>{}</pre>\n", self.linked(&lines.join("\n"), In::Prose, own))
            }
        }
    }

    /// A sentence; what stands between backticks is code.
    fn prose(&self, text: &str, own: Option<&str>) -> String {
        let mut html = String::new();
        let mut rest = text;
        while let Some((before, (code, behind))) =
            rest.split_once('`').and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
        {
            html += &self.linked(before, In::Prose, own);
            let _ = write!(html, "<code>{}</code>", self.linked(code, In::Code, own));
            rest = behind;
        }
        html + &self.linked(rest, In::Prose, own)
    }

    /// The text with links from the names in it.
    fn linked(&self, text: &str, place: In, own: Option<&str>) -> String {
        let pieces = self.links.pieces(text, self.page, place).into_iter();
        let pieces = pieces.map(|(piece, page)| match page {
            Some(page) if Some(piece) != own || page != self.page => {
                let name = escaped(piece);
                format!("<a href=\"{page}#{name}\">{name}</a>")
            }
            Some(_) | None => escaped(piece),
        });
        pieces.collect()
    }
}
