//! `:page`: values shown a page of rows at a time. Only the rows of the page are read and drawn.

use star_base::{Code, Diagnostic};

use super::event::{Event, Sink};
use super::session::Session;
use super::show;

/// The prompt after a page.
const PROMPT: &str = "page> ";

/// The orders of the prompt.
const ORDERS: &str = "Enter: next page, b: back, NUMBER: from this row, e: end, q: quit";

impl Session {
    /// Shows the values of a request page by page; the user tells which page follows.
    pub(super) fn page(&self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let request = show::parse(rest, &|name| show::number(&self.view(), name));
        let mut request = request.map_err(|mut fault| {
            fault.help = fault.help.map(|help| help.replace(":show", ":page"));
            refused(fault)
        })?;
        let screen = sink.screen();
        let rows = show::rows(&self.view(), &request).map_err(refused)?;
        let size = screen.rows.max(1);
        let (first, last) = match &request.rows {
            Some(rows) => (*rows.start(), *rows.end()),
            None => (1, rows),
        };
        let mut top = first;
        loop {
            let bottom = last.min(top.saturating_add(size - 1));
            if last > 0 {
                request.rows = Some(top..=bottom);
            }
            let text = show::requested(&self.view(), &request, screen).map_err(refused)?;
            if !sink.show(Event::Picture(&text)) || last + 1 - first <= size {
                return Ok(());
            }
            sink.show(Event::Answer(&format!("rows {top} to {bottom} of {last}. {ORDERS}\n")));
            let furthest = (last + 1 - size.min(last)).max(first);
            top = loop {
                let Some(order) = sink.ask(PROMPT) else { return Ok(()) };
                match order.trim() {
                    "" | "n" if bottom == last => return Ok(()),
                    "" | "n" => break bottom + 1,
                    "b" => break top.saturating_sub(size).max(first),
                    "e" => break furthest,
                    "q" => return Ok(()),
                    order => match order.parse::<usize>() {
                        Ok(row) if (first..=last).contains(&row) => break row,
                        Ok(_) => {
                            let message = format!("expected a row from {first} to {last}\n");
                            sink.show(Event::Answer(&message));
                        }
                        Err(_) => {
                            sink.show(Event::Answer(&format!("{ORDERS}\n")));
                        }
                    },
                }
            };
        }
    }
}

/// Returns the diagnostic for a fault in a request.
pub(super) fn refused(show::Fault { message, help }: show::Fault) -> Diagnostic {
    help.into_iter().fold(Diagnostic::new(Code::Usage, message), Diagnostic::help)
}
