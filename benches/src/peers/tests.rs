//! Contestants in processes of their own, written for `sh`: such as do as they should, and such as
//! do not.

use std::process::Command;
use std::time::{Duration, Instant};

use super::contest::{Budget, Finish, Lane, contest};
use super::digest::Digest;
use super::failure::Failure;
use super::process::Process;
use super::side::Side;

const BUDGET: Budget = Budget { time: Duration::from_millis(50), width: 0.02, max_runs: 8 };

/// The first answer of a well-behaved peer.
fn hello() -> String {
    let check = Digest::check().text();
    format!(
        "echo '{{\"hello\": {{\"peer\": \"fake\", \"version\": \"1\", \"language\": \"sh\", \"threads\": 1, \
         \"load_s\": 0.5, \"conditions\": \"\", \"check\": \"{check}\"}}}}'\n"
    )
}

/// A peer that answers requests with these commands of the shell.
fn script(run: &str, digest: &str) -> String {
    format!(
        "{}while read request n; do case $request in run) {run};; digest) {digest};; esac; done",
        hello()
    )
}

fn start(script: &str, limit: Duration) -> Result<Process, Failure> {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Process::start(command, limit)
}

const RAN: &str = r#"echo "{\"ran\": {\"runs\": $n, \"seconds\": 3e0}}""#;
const DIGEST: &str = r#"echo '{"digest": "00000000000000aa"}'"#;

/// Ours and this peer.
fn against(script: &str, limit: Duration) -> Vec<Finish> {
    let lane = |name: &str, ours: bool, side: Result<Process, Failure>| Lane {
        name: name.to_owned(),
        ours,
        side: side.map(|process| Box::new(process) as Box<dyn Side>),
    };
    let well = start(&self::script(RAN, DIGEST), Duration::from_secs(60));
    contest(vec![lane("star", true, well), lane("fake", false, start(script, limit))], BUDGET)
}

/// Why the peer has no time; ours has one all the same.
fn failure(script: &str) -> Failure {
    let finishes = against(script, Duration::from_secs(60));
    assert!(finishes[0].result.is_ok(), "{:?}", finishes[0]);
    finishes[1].result.clone().unwrap_err()
}

#[test]
fn a_peer_that_keeps_the_protocol_is_measured() {
    let finishes = against(&script(RAN, DIGEST), Duration::from_secs(60));
    let peer = finishes[1].result.as_ref().unwrap();
    assert_eq!((peer.median.median, peer.hash.as_str()), (3.0, "00000000000000aa"));
    assert_eq!(peer.ratio.unwrap().median, 1.0);
    let hello = finishes[1].hello.as_ref().unwrap();
    assert_eq!((hello.peer.as_str(), hello.language.as_str(), hello.load_s), ("fake", "sh", 0.5));
}

#[test]
fn a_wrong_result_is_an_error_that_names_both() {
    let failure = failure(&script(RAN, r#"echo '{"digest": "00000000000000bb"}'"#));
    assert_eq!(failure.code, "differs");
    let message = "the digest of the result is 00000000000000bb by fake, 00000000000000aa by star";
    assert_eq!(failure.message, message);
}

#[test]
fn a_peer_that_is_not_installed_says_so() {
    let failure = failure(r#"echo '{"missing": "No module named fake"}'"#);
    assert_eq!(failure, Failure::peer("No module named fake"));
}

#[test]
fn a_crash_is_an_error_with_its_last_words() {
    let failed = failure(&script("echo first >&2; echo out of memory >&2; exit 3", DIGEST));
    assert_eq!(failed.code, "peer");
    assert!(failed.message.starts_with("it ended without an answer ("), "{}", failed.message);
    assert!(failed.message.ends_with("3): out of memory"), "{}", failed.message);
    let at_once = failure("exit 1");
    assert!(at_once.message.starts_with("it ended without an answer ("), "{}", at_once.message);
}

#[test]
fn a_peer_that_hangs_is_ended() {
    let begun = Instant::now();
    let finishes = against(&script("exec sleep 600", DIGEST), Duration::from_millis(300));
    let failure = finishes[1].result.clone().unwrap_err();
    assert_eq!(failure, Failure::peer("no answer within 0.3 s (`--limit`)"));
    assert!(finishes[0].result.is_ok());
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn answers_that_are_none_are_errors() {
    let traceback = failure(&script("echo 'Traceback (most recent call last):'", DIGEST));
    let message = "the answer `Traceback (most recent call last):` is not of the protocol";
    assert_eq!(traceback, Failure::peer(message));
    let binary = failure(&script("printf '\\377\\000\\n'", DIGEST));
    assert!(binary.message.ends_with("is not of the protocol"), "{}", binary.message);
    let other = failure(&script(DIGEST, DIGEST));
    assert!(other.message.ends_with("is to another question"), "{}", other.message);
    let fewer = failure(&script(r#"echo '{"ran": {"runs": 0, "seconds": 1}}'"#, DIGEST));
    assert!(fewer.message.ends_with("is to another question"), "{}", fewer.message);
}

#[test]
fn an_answer_without_an_end_is_cut() {
    let failure = failure(&script("yes x | tr -d '\\n' | head -c 200000; exit 0", DIGEST));
    assert!(failure.message.ends_with("… is not of the protocol".trim_start_matches('…')));
    assert!(failure.message.len() < 300, "{}", failure.message.len());
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let failure = Process::start(Command::new("no-such-program"), Duration::from_secs(1)).err();
    let message = failure.map(|failure| failure.message).unwrap_or_default();
    assert!(message.starts_with("`no-such-program` cannot be run: "), "{message}");
}

#[test]
fn help_is_an_answer_and_no_fault() {
    for line in [&["--help"][..], &["rust", "-h"]] {
        let line: Vec<String> = line.iter().map(|&word| word.to_owned()).collect();
        assert_eq!(super::run(&line), Ok(()));
    }
}
