//! `star run --format json`: the whole run as one object on standard output.

use serde_json::{Map, Value as Json, json};
use star_bind::RecordList;
use star_io::{Data, Field, FileError, Numbers};
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::sources::FileLoader;
use star_value::display::{ShownBits, ShownTable};
use star_value::{BitVector, Value};

use super::{RunArgs, run_with};
use crate::results::{self, Named, Origins};

/// Maximum number of bits of a value in the object; a file holds those of a longer one.
pub(super) const MAX_BITS: usize = 1 << 20;

/// Runs the program and writes the object, whatever the outcome.
pub(super) fn run(args: &RunArgs, output: &mut Output) -> Exit {
    let reporter = Reporter::collecting();
    let mut printed = Output::kept();
    let mut done = || -> Result<Exit, Failure> {
        let mut loader = FileLoader::granting(&args.allow_read)?;
        run_with(&mut loader, &args.file, args, &reporter, &mut printed)
    };
    let exit = done().unwrap_or_else(|failure| failure.report(&reporter));
    let mut object = Map::new();
    let outcome = match exit {
        Exit::Success => "done",
        Exit::Trap => "trap",
        Exit::Limit => "limit",
        Exit::Interrupted => "interrupted",
        Exit::Compile | Exit::Usage | Exit::Data | Exit::Slower | Exit::Internal | Exit::Pipe => {
            "error"
        }
    };
    object.insert("program".to_owned(), json!(args.file));
    object.insert("outcome".to_owned(), json!(outcome));
    object.insert("exit".to_owned(), json!(exit.number()));
    object.insert("printed".to_owned(), json!(printed.into_text()));
    let (mut messages, mut plan) = (Vec::new(), Vec::new());
    for message in reporter.collected() {
        match message {
            Json::String(line) => plan.push(line),
            Json::Object(message) if message.contains_key("severity") => {
                messages.push(Json::Object(message));
            }
            Json::Object(parts) => object.extend(parts),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) => {}
        }
    }
    object.entry("results").or_insert(Json::Null);
    object.insert("messages".to_owned(), json!(messages));
    if args.options.explain {
        object.insert("plan".to_owned(), json!(plan));
    }
    output.write(&star_report::json::line(&Json::Object(object)));
    exit
}

/// Returns the results with their sizes, and their values unless they are long: slices and words
/// as text, tables as the texts of their rows. Tables with the width of the records of a list have
/// their fields, too.
pub(super) fn of_results(
    names: &[Option<&str>],
    values: &[Value],
    placed: &dyn Fn(usize) -> Option<(usize, usize)>,
    lists: &[RecordList],
) -> Json {
    let named = names.iter().zip(values).enumerate();
    let named = named.filter_map(|(idx, (name, value))| Some((idx, (*name)?, value)));
    let values = named.map(|(idx, name, value)| {
        let mut object = match placed(idx) {
            Some((n_rows, n_columns)) => {
                json!({ "kind": "table", "rows": n_rows, "columns": n_columns, "value": null })
            }
            None => of_value(name, value, lists),
        };
        object["name"] = json!(name);
        object
    });
    Json::Array(values.collect())
}

fn of_value(name: &str, value: &Value, lists: &[RecordList]) -> Json {
    let bits = |kind: &str, bits: &BitVector| {
        let text = (bits.len() <= MAX_BITS).then(|| text_of(bits.len(), &|idx| bits.get(idx)));
        json!({ "kind": kind, "size": bits.len(), "ones": bits.n_ones(), "value": text })
    };
    match value {
        Value::Unset => json!({ "kind": "unset", "value": null }),
        Value::Int(number) => json!({ "kind": "integer", "value": number }),
        Value::Bool(truth) => json!({ "kind": "boolean", "value": truth }),
        Value::Str(text) => json!({ "kind": "string", "value": text }),
        Value::Slice(slice) => bits("slice", slice),
        Value::Word(word) => bits("word", word),
        Value::Table(table) => {
            let (n_rows, n_columns) = (table.n_rows(), table.n_cols());
            let is_short = n_rows.saturating_mul(n_columns.max(1)) <= MAX_BITS;
            let row =
                |row: usize| text_of(n_columns, &|column| ShownTable::bit(table, row, column));
            let rows = is_short.then(|| (0..n_rows).map(row).collect::<Vec<String>>());
            let mut object = json!({
                "kind": "table", "rows": n_rows, "columns": n_columns,
                "ones": ShownTable::n_ones(table), "value": rows,
            });
            let list = RecordList::of_param(lists, name, n_columns).filter(|_| is_short);
            if let Some(list) = list
                && let Some(columns) = table.columns()
                && let Ok(numbers) = list.records(columns)
            {
                object["fields"] = fields(&numbers);
            }
            object
        }
    }
}

fn text_of(n: usize, bit: &dyn Fn(usize) -> bool) -> String {
    (0..n).map(|idx| if bit(idx) { '1' } else { '0' }).collect()
}

/// Returns the results of `--names`: `table` has the columns of vertices, `arcs` a table for each
/// result over the arcs.
///
/// # Errors
/// E0507 if a result does not match its form.
pub(super) fn named(named: &Named, values: &[Value], origins: &Origins) -> Result<Json, FileError> {
    let mut object = Map::new();
    if !named.columns.is_empty() {
        let (data, _) = results::table_of(&named.columns, values, origins, "")?;
        object.insert("table".to_owned(), table(&data));
    }
    let mut arcs = Map::new();
    for column in &named.arcs {
        let (data, _) = results::table_of(std::slice::from_ref(column), values, origins, "")?;
        arcs.insert(column.name.clone(), table(&data));
    }
    if !arcs.is_empty() {
        object.insert("arcs".to_owned(), Json::Object(arcs));
    }
    Ok(Json::Object(object))
}

/// Returns the columns of a table of results by their names, or its arcs.
fn table(data: &Data) -> Json {
    match data {
        Data::Numbers(numbers) => fields(numbers),
        Data::Graph(graph) => {
            let end = |vertex: u32| graph.name(vertex as usize).to_string();
            let arcs = || graph.arcs.iter();
            let mut object = json!({
                "from": arcs().map(|arc| end(arc.tail)).collect::<Vec<String>>(),
                "to": arcs().map(|arc| end(arc.head)).collect::<Vec<String>>(),
            });
            if graph.weighted {
                object["weight"] = json!(arcs().map(|arc| arc.weight).collect::<Vec<i64>>());
            }
            object
        }
        Data::Table(_) | Data::Slice(_) | Data::Word(_) => Json::Null,
    }
}

/// Returns the fields by their names: numbers, or the texts, dates and times that they stand for;
/// null for missing numbers.
fn fields(Numbers { fields, .. }: &Numbers) -> Json {
    let of_field = |field: &Field| {
        let cell = |&number: &i64| match &field.meaning {
            _ if Some(number) == field.nodata => Json::Null,
            star_io::Meaning::Number => json!(number),
            _ => json!(field.text(number)),
        };
        (field.name.clone(), field.values.iter().map(cell).collect())
    };
    Json::Object(fields.iter().map(of_field).collect())
}
