//! Summary of a run, as text or a JSON object.

use serde_json::json;
use star_intrinsics::moving::{Answering, Statistics, Updates};
use star_os::report::Reporter;

use super::Times;
use crate::text;

/// Returns the singular or plural noun for `n`.
fn number(n: u64, one: &'static str, many: &'static str) -> &'static str {
    if n == 1 { one } else { many }
}

/// Reports the summary.
pub(super) fn outcome(its: &Statistics, times: Times, reporter: &Reporter) {
    let Statistics {
        objects,
        cells,
        regions,
        further_buckets,
        n_bytes,
        choices,
        batches,
        updates,
        answering,
    } = *its;
    let Updates { updates: n, superseded, in_place, split, inserted, removed, unknown_removals } =
        updates;
    let Answering { queries, candidate_cells, confirmations, covered, candidates, hits } =
        answering;
    let seconds = times.index.as_secs_f64();
    let rate = |n: u64| n as f64 / seconds.max(1e-9) / 1e6;
    let per = |n: u64, of: u64| n as f64 / of.max(1) as f64;
    let mut lines = vec![
        format!(
            "{n} {} in {batches} {}, {queries} {}, {hits} {}: {seconds:.3} s in the index, {:.3} s in all",
            number(n, "update", "updates"),
            number(batches, "batch", "batches"),
            number(queries, "query", "queries"),
            number(hits, "answer", "answers"),
            times.all.as_secs_f64()
        ),
        format!("  {:.2} M updates/s and {:.3} M queries/s", rate(n), rate(queries)),
        format!(
            "  updates: {in_place} in place, {split} split, {inserted} new, {removed} removed, \
                {superseded} superseded, {unknown_removals} {} of unknown objects",
            number(unknown_removals, "removal", "removals")
        ),
    ];
    // A graphics card has no regions, and does not count the cells of queries.
    let has_regions = regions > 0 || cells == 0;
    let mut of_regions = String::new();
    if has_regions {
        of_regions = format!(" of {regions} regions");
        lines.push(format!(
            "  queries: {candidate_cells} candidate cells of {:.1} objects, {:.2} confirmations \
                each, {covered} of them for whole cells",
            per(candidates, candidate_cells),
            per(confirmations, candidate_cells)
        ));
    }
    lines.push(format!(
        "  index: {objects} objects in {cells} cells{of_regions}, {further_buckets} further buckets, {}, cells chosen {choices} times",
        text::bytes(n_bytes)
    ));
    let object = json!({
        "moving": {
            "seconds": seconds,
            "seconds_in_all": times.all.as_secs_f64(),
            "batches": batches,
            "updates": n,
            "in_place": in_place,
            "split": split,
            "inserted": inserted,
            "removed": removed,
            "superseded": superseded,
            "unknown_removals": unknown_removals,
            "queries": queries,
            "answers": hits,
            "candidate_cells": has_regions.then_some(candidate_cells),
            "candidates": has_regions.then_some(candidates),
            "confirmations": has_regions.then_some(confirmations),
            "covered": has_regions.then_some(covered),
            "objects": objects,
            "cells": cells,
            "regions": has_regions.then_some(regions),
            "further_buckets": further_buckets,
            "bytes": n_bytes,
            "choices": choices,
        }
    });
    reporter.outcome(&lines.join("\n"), &object);
}
