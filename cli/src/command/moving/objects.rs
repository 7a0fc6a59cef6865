//! The objects of `star moving`: in an index of the CPU, or on a graphics card.

#[cfg(feature = "gpu")]
use star::pipeline::backends::{self, DeviceOptions, Movers, MoversError};
#[cfg(feature = "gpu")]
use star::pipeline::refused_by_backend;
use star_base::{Code, Diagnostic};
use star_intrinsics::Workers;
use star_intrinsics::moving::{MovingIndex, Point, Query, Rect, Statistics, Update};
use star_os::failure::Failure;
use star_os::flags::Flags;

use super::{Answers, failed};

/// The names of `--backend`.
pub(super) const BACKENDS: [&str; 2] = ["cpu", "gpu"];

/// Moving objects.
pub(super) enum Objects {
    /// An index, and whether it has answered queries since answers were taken.
    Cpu(Box<MovingIndex>, bool),
    #[cfg(feature = "gpu")]
    Gpu(Box<Movers>),
}

impl Objects {
    /// Creates no objects on a backend.
    pub(super) fn on(
        backend: &str,
        adapter: Option<&str>,
        area: Option<Rect>,
    ) -> Result<Objects, Diagnostic> {
        if backend != BACKENDS[1] {
            return Ok(Objects::Cpu(Box::new(MovingIndex::new(area)), false));
        }
        let opened = open(adapter, area);
        opened.map_err(|reason| {
            let message = format!("backend `{backend}` is not available: {reason}");
            Diagnostic::new(Code::NoBackend, message)
        })
    }

    /// Answers queries, then applies updates. The answers can be taken now or after some later
    /// batches.
    pub(super) fn period<A: Answers>(
        &mut self,
        updates: &[Update],
        queries: &[Query],
        answers: &mut A,
        workers: &Workers<'_>,
        flags: &Flags,
    ) -> Result<(), Failure> {
        match self {
            Objects::Cpu(index, has_answered) => {
                let done = index.period(updates, queries, answers, workers);
                *has_answered = true;
                done.map_err(|ended| failed(ended, flags))
            }
            #[cfg(feature = "gpu")]
            Objects::Gpu(movers) => {
                let begun = movers.begin(updates, queries, A::FORM, &|| flags.stop().is_some());
                begun.map_err(|error| device_failed(error, flags))
            }
        }
    }

    /// Completes all batches.
    pub(super) fn finish(&mut self, flags: &Flags) -> Result<(), Failure> {
        #[cfg(not(feature = "gpu"))]
        let _ = flags;
        match self {
            Objects::Cpu(..) => Ok(()),
            #[cfg(feature = "gpu")]
            Objects::Gpu(movers) => {
                let finished = movers.finish(&|| flags.stop().is_some());
                finished.map_err(|error| device_failed(error, flags))
            }
        }
    }

    /// Takes the answers of the next batch; returns false if they are not complete yet.
    pub(super) fn take_answers<A: Answers>(&mut self, answers: &mut A) -> bool {
        #[cfg(not(feature = "gpu"))]
        let _ = answers;
        match self {
            // They are there since the period.
            Objects::Cpu(_, has_answered) => std::mem::take(has_answered),
            #[cfg(feature = "gpu")]
            Objects::Gpu(movers) => {
                let found = movers.take_answers();
                found.map(|found| answers.add(found)).is_some()
            }
        }
    }

    /// Returns the positions of all objects.
    pub(super) fn points(&mut self, flags: &Flags) -> Result<Vec<Point>, Failure> {
        let mut points = Vec::new();
        match self {
            Objects::Cpu(index, _) => index.for_each(|_, at| points.push(at)),
            #[cfg(feature = "gpu")]
            Objects::Gpu(movers) => {
                let read = movers.for_each(|_, at| points.push(at));
                read.map_err(|error| device_failed(error, flags))?;
            }
        }
        #[cfg(not(feature = "gpu"))]
        let _ = flags;
        Ok(points)
    }

    /// Returns the area that is divided into cells, or `None` before the first batch.
    pub(super) fn area(&self) -> Option<Rect> {
        match self {
            Objects::Cpu(index, _) => index.area(),
            #[cfg(feature = "gpu")]
            Objects::Gpu(movers) => movers.area(),
        }
    }

    /// Returns layout and activity.
    pub(super) fn statistics(&mut self, flags: &Flags) -> Result<Statistics, Failure> {
        #[cfg(not(feature = "gpu"))]
        let _ = flags;
        match self {
            Objects::Cpu(index, _) => Ok(index.statistics()),
            #[cfg(feature = "gpu")]
            Objects::Gpu(movers) => {
                movers.statistics().map_err(|error| device_failed(error, flags))
            }
        }
    }

    /// Returns the memory in use, in bytes.
    pub(super) fn n_bytes(&self) -> u64 {
        match self {
            Objects::Cpu(index, _) => index.n_bytes(),
            #[cfg(feature = "gpu")]
            Objects::Gpu(movers) => movers.n_bytes(),
        }
    }

    /// Returns a lower bound on the memory in use, in bytes, once an object has this id.
    pub(super) fn n_bytes_with(&self, id: u32) -> u64 {
        match self {
            Objects::Cpu(index, _) => index.n_bytes_with(id),
            #[cfg(feature = "gpu")]
            Objects::Gpu(movers) => movers.n_bytes_with(id),
        }
    }
}

#[cfg(feature = "gpu")]
fn open(adapter: Option<&str>, area: Option<Rect>) -> Result<Objects, String> {
    let wanted = DeviceOptions { adapter, ..DeviceOptions::default() };
    let movers = Movers::open(&backends::device_settings(&wanted), area)?;
    Ok(Objects::Gpu(Box::new(movers)))
}

#[cfg(not(feature = "gpu"))]
fn open(_: Option<&str>, _: Option<Rect>) -> Result<Objects, String> {
    Err("not in this build".to_owned())
}

#[cfg(feature = "gpu")]
fn device_failed(error: MoversError, flags: &Flags) -> Failure {
    match error {
        MoversError::Ended(ended) => failed(ended, flags),
        MoversError::Device(error) => refused_by_backend("the objects are lost", &error).into(),
    }
}
