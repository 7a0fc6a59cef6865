//! The kinds of data as subcommands, from the table in star-io.

use clap::error::ErrorKind;
use clap::{
    Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, Error, FromArgMatches, Subcommand,
};
use star_io::generate::spec::options::{KINDS, KindSpec, OptionSpec, Presence};
use star_io::generate::spec::value::{Value, ValueKind};
use star_io::generate::spec::{OptionValues, Specification};

use super::moving::MovingGenArgs;

/// The kind of data.
#[derive(Clone, Debug)]
pub(super) enum Kinds {
    /// Data in any suitable format.
    Data(KindArgs),
    /// Two streams.
    Moving(MovingGenArgs),
}

/// The name of the kind that generates two streams.
const MOVING: &str = "moving";

/// Arguments for a kind of data.
#[derive(Clone, Debug)]
pub(super) struct KindArgs {
    /// The specification of the data.
    pub(super) spec: Specification,
    /// The file to write.
    pub(super) output: String,
    /// Whether the summary is omitted.
    pub(super) quiet: bool,
}

impl FromArgMatches for Kinds {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let unknown = || Error::raw(ErrorKind::InvalidSubcommand, "unknown kind of data");
        let (name, matches) = matches.subcommand().ok_or_else(unknown)?;
        if name == MOVING {
            return MovingGenArgs::from_arg_matches(matches).map(Kinds::Moving);
        }
        let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(unknown)?;
        let mut values = OptionValues::default();
        for option in kind.options() {
            if option.value == ValueKind::Flag {
                if matches.get_flag(option.long) {
                    values.push(option.long, Value::Text(String::new()));
                }
                continue;
            }
            for value in matches.get_many::<Value>(option.long).into_iter().flatten() {
                values.push(option.long, value.clone());
            }
        }
        let spec = Specification::new(kind.kind, &values)
            .map_err(|error| Error::raw(ErrorKind::MissingRequiredArgument, error.message))?;
        let output = matches.get_one::<String>("output").cloned().unwrap_or_default();
        Ok(Kinds::Data(KindArgs { spec, output, quiet: matches.get_flag("quiet") }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Kinds::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Kinds {
    fn augment_subcommands(command: Command) -> Command {
        // The documentation of the options is for developers.
        let moving = MovingGenArgs::augment_args(Command::new(MOVING))
            .about("Generate moving objects and queries: the workload of source 004");
        command.subcommands(KINDS.iter().map(subcommand)).subcommand(moving)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Kinds::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == MOVING || KINDS.iter().any(|kind| kind.name == name)
    }
}

fn subcommand(kind: &'static KindSpec) -> Command {
    let plural = if kind.examples.len() == 1 { "" } else { "s" };
    let examples: String =
        kind.examples.iter().map(|example| format!("\n  star gen {example}")).collect();
    let mut command =
        Command::new(kind.name).about(kind.about).after_help(format!("Example{plural}:{examples}"));
    for option in kind.options() {
        command = command.arg(argument(option));
        if option.long == "seed" {
            command = command.arg(output());
        }
    }
    let alternatives = kind.options().filter(|option| option.presence == Presence::OneOf);
    let alternatives: Vec<&str> = alternatives.map(|option| option.long).collect();
    match alternatives.is_empty() {
        true => command,
        false => command.group(ArgGroup::new("alternatives").required(true).args(alternatives)),
    }
}

fn argument(option: &'static OptionSpec) -> Arg {
    let kind = option.value;
    let mut argument = Arg::new(option.long).long(option.long).help(option.help);
    if let Some(short) = option.short {
        argument = argument.short(short);
    }
    if let Some(more) = option.more_help {
        argument = argument.long_help(format!("{}\n\n{more}", option.help));
    }
    if kind == ValueKind::Flag {
        return argument.action(ArgAction::SetTrue);
    }
    argument = argument
        .value_name(option.value_name)
        .allow_negative_numbers(kind.is_number())
        .value_parser(move |text: &str| kind.parse(text));
    if kind == ValueKind::Counts {
        argument = argument.value_delimiter(',').action(ArgAction::Append);
    }
    match option.presence {
        Presence::Required => argument.required(true),
        Presence::Default(text) => argument.default_value(text),
        Presence::Optional | Presence::OneOf => argument,
    }
}

fn output() -> Arg {
    Arg::new("output")
        .short('o')
        .long("out")
        .alias("output")
        .value_name("FILE")
        .help("Write the result to FILE")
        .required(true)
}
