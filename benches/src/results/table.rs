//! The jobs: their names, goals, the figures of the sources, and how they are measured.

use std::sync::LazyLock;

/// A section of the page, with its file of rows.
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) jobs: Vec<Job>,
}

/// A job: a line of `jobs.txt`.
pub(super) struct Job {
    pub(super) name: &'static str,
    pub(super) goal: &'static str,
    pub(super) source: &'static str,
    pub(super) measurement: &'static str,
}

/// All jobs.
pub(super) static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let mut sections: Vec<Section> = Vec::new();
    let lines = include_str!("jobs.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split('|').map(str::trim).collect::<Vec<_>>()[..] {
            [name, goal, source, measurement] => {
                let section = sections.last_mut().expect("a section before the first job");
                section.jobs.push(Job { name, goal, source, measurement });
            }
            _ => {
                let (name, title) = line.split_once(": ").expect("a section or a job");
                sections.push(Section { name, title, jobs: Vec::new() });
            }
        }
    }
    sections
});
