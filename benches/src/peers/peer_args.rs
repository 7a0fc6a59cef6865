//! What a contestant is told: `KEY=VALUE`, the same for ours and for adapters in other languages.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use super::failure::Failure;
use super::job::Job;

/// Arguments by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PeerArgs(BTreeMap<String, String>);

impl PeerArgs {
    /// Reads arguments of the command line.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let pair = |argument: &String| match argument.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(Failure::peer(format!("`{argument}` is not of the form KEY=VALUE"))),
        };
        arguments.iter().map(pair).collect::<Result<_, _>>().map(PeerArgs)
    }

    /// One more.
    #[must_use]
    pub(super) fn with(mut self, key: &str, value: impl ToString) -> Self {
        self.0.insert(key.to_owned(), value.to_string());
        self
    }

    /// As arguments of a command line.
    pub(super) fn arguments(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().map(|(key, value)| format!("{key}={value}"))
    }

    pub(super) fn text(&self, key: &str) -> Result<&str, Failure> {
        let text = self.0.get(key).map(String::as_str);
        text.ok_or_else(|| Failure::peer(format!("`{key}=` is not given")))
    }

    pub(super) fn number<T: FromStr>(&self, key: &str) -> Result<T, Failure> {
        let text = self.text(key)?;
        text.parse().map_err(|_| Failure::peer(format!("`{key}={text}` is no such number")))
    }

    pub(super) fn path(&self, key: &str) -> Result<PathBuf, Failure> {
        self.text(key).map(PathBuf::from)
    }

    pub(super) fn job(&self) -> Result<Job, Failure> {
        let name = self.text("job")?;
        let job = Job::ALL.into_iter().find(|job| job.name() == name);
        job.ok_or_else(|| Failure::peer(format!("there is no job `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_read_back() {
        let given = PeerArgs::default().with("graph", "a=b.mtx").with("source", 7);
        let arguments: Vec<String> = given.arguments().collect();
        assert_eq!(arguments, ["graph=a=b.mtx", "source=7"]);
        assert_eq!(PeerArgs::parse(&arguments), Ok(given.clone()));
        assert_eq!(given.number::<u32>("source"), Ok(7));
        assert_eq!(given.text("threads").unwrap_err().message, "`threads=` is not given");
        assert!(given.number::<u32>("graph").is_err());
        assert!(PeerArgs::parse(&["what".to_owned()]).is_err());
    }
}
