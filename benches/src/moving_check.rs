//! Moving objects: every answer of an index of many objects against brute force, once.
//!
//! Brute force is a list of the positions of all objects, and a test of each of them for each
//! query. The queries are those of the workload and wide ones; some objects go and come back.

use std::time::Instant;

use star_intrinsics::Workers;
use star_intrinsics::moving::{MovingIndex, Point, Query, Rect, Update};
use star_io::generate::{GenerateOptions, Hubs, MovingObjects};

use crate::say::say;

const PER_BATCH: u64 = 100_000;
const SIDE: u64 = 10_000_000;
/// Questions of a batch that are compared: each takes a test of all objects.
const N_QUESTIONS: usize = 50;
/// Sides of questions: source 004's, and wide ones.
const QUERY_SIDES: [i64; 3] = [10_000, 300_000, 2_000_000];

/// Compares so many batches on so many objects, uniform and in hubs.
pub(crate) fn run(n_objects: u64, n_batches: u64) -> Result<(), String> {
    for hubs in [None, Some(Hubs { n: 100, deviation: 100_000 })] {
        let begin = Instant::now();
        let (n_answers, n_objects) = compare(n_objects, n_batches, hubs)?;
        let gathered = if hubs.is_some() { "hubs" } else { "uniform" };
        let n_questions = n_batches * N_QUESTIONS as u64;
        say!(
            "{gathered}: {n_questions} questions over {n_objects} objects, {n_answers} answers, all as by brute force, every object in its place; {:.0} s",
            begin.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

/// How many answers there were, and objects in the end.
fn compare(n_objects: u64, n_batches: u64, hubs: Option<Hubs>) -> Result<(u64, u64), String> {
    let workload = MovingObjects {
        n_objects,
        n_updates: n_batches * PER_BATCH,
        per_batch: PER_BATCH,
        per_hundred: 1,
        side: SIDE,
        query_side: 0,
        hubs,
    };
    let mut options = GenerateOptions::new(1, u64::MAX);
    let mut steps = workload.start(&mut options).map_err(|error| error.to_string())?;
    let workers = Workers::new(None, Workers::NEVER).map_err(|_| "no threads")?;
    let mut index = MovingIndex::new(None);
    let mut at: Vec<Option<Point>> = vec![None; n_objects as usize + 1];
    let point = |[x, y]: [i32; 2]| Point::new(x.into(), y.into()).expect("made in range");
    let placed: Vec<Update> =
        steps.positions().map(|its| Update { id: its.id, to: its.at.map(point) }).collect();
    let mut period = |updates: &[Update], queries: &[Query]| {
        let mut found: Vec<(u32, u32)> = Vec::new();
        let done = index.period(updates, queries, &mut found, &workers);
        done.map_err(|ended| format!("{ended:?}"))?;
        found.sort_unstable();
        Ok::<_, String>(found)
    };
    period(&placed, &[])?;
    placed.iter().for_each(|update| at[update.id as usize] = update.to);
    drop(placed);
    let (mut positions, mut windows) = (Vec::new(), Vec::new());
    let mut n_answers = 0;
    while steps.step(&mut positions, &mut windows) {
        // One object of seven is gone with its move, until it moves again.
        let to = |(idx, to)| if idx % 7 == 0 { None } else { to };
        let updates: Vec<Update> = positions
            .iter()
            .enumerate()
            .map(|(idx, its)| Update { id: its.id, to: to((idx, its.at.map(point))) })
            .collect();
        let mut queries = Vec::new();
        for (window, number) in windows.iter().zip(0..N_QUESTIONS as u32) {
            let side = QUERY_SIDES[number as usize % QUERY_SIDES.len()];
            let [x, y] = window.low.map(i64::from);
            let corner = |x, y| Point::new(x, y).expect("near the area");
            queries
                .push(Query { number, range: Rect::new(corner(x, y), corner(x + side, y + side)) });
        }
        let found = period(&updates, &queries)?;
        let mut expected = Vec::new();
        for Query { number, range } in &queries {
            let (low, high) = (range.low(), range.high());
            for (id, at) in (0..).zip(&at) {
                if let Some(at) = at
                    && low.x() <= at.x()
                    && at.x() <= high.x()
                    && low.y() <= at.y()
                    && at.y() <= high.y()
                {
                    expected.push((*number, id));
                }
            }
        }
        if found != expected {
            return Err(format!(
                "batch {}: {} answers, not {}",
                steps.time(),
                found.len(),
                expected.len()
            ));
        }
        n_answers += found.len() as u64;
        updates.iter().for_each(|update| at[update.id as usize] = update.to);
    }
    let mut n_there = 0;
    for (id, at) in (0..).zip(&at) {
        n_there += u64::from(at.is_some());
        if index.position(id) != *at {
            return Err(format!("object {id} is at {:?}, not {at:?}", index.position(id)));
        }
    }
    match index.n_objects() == n_there {
        true => Ok((n_answers, n_there)),
        false => Err(format!("{} objects, not {n_there}", index.n_objects())),
    }
}
