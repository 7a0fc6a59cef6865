//! The search of source 003 on the device, in O(d³): the peer of the intrinsic's search. Scores of
//! links are there already.

use star_gpu::Gpu;
use star_intrinsics::polyline::Admitted;

use super::BUSY;
use crate::polyline::Instance;

/// Threads of a workgroup, and workgroups in the first dimension.
const THREADS: u32 = 256;
const ACROSS: u32 = 1024;

/// Returns the seconds of device time of all layers, for p = 8 and d points a guide.
///
/// # Errors
/// If the device fails, or the score is not that of the CPU.
pub(super) fn search(gpu: &Gpu, d: usize, limit: usize, runs: usize) -> Result<f64, String> {
    let instance = Instance::along_an_axis(d, limit)?;
    let admitted = Admitted::new(instance.turn(), d).map_err(|ended| format!("{ended:?}"))?;
    let most = d as i64 - 1;
    let mut words = Vec::new();
    for (links, points) in admitted.links.iter().zip(&admitted.first) {
        words.extend([links.start + most, links.end + most, points.start, points.end]);
    }
    let mut words: Vec<u32> = words.into_iter().map(|word| word as u32).collect();
    let mut add = |some: &[u32]| {
        let at = words.len() as u32;
        words.extend_from_slice(some);
        at
    };
    let firsts = add(&instance.first);
    let scores = add(&instance.rows.concat());
    let values = [0, 1].map(|_| add(&vec![0; d * d]));
    let n_groups = (d * d).div_ceil(THREADS as usize) as u32;
    let groups = [n_groups.min(ACROSS), n_groups.div_ceil(ACROSS)];
    let n_layers = instance.rows.len();
    let dispatches = (0..n_layers).map(|layer| {
        let [from, to] = [values[(layer + 1) % 2], values[layer % 2]];
        (groups, [d as u32, layer as u32, groups[0], firsts, scores, from, to])
    });
    let dispatches: Vec<([u32; 2], [u32; 7])> = dispatches.collect();
    let text = format!("const THREADS = {THREADS}u;\n{}", include_str!("cubic.wgsl"));
    let times = gpu.series(text, &mut words, &dispatches, (BUSY, runs.max(1)));
    let mut times = times.map_err(|error| error.to_string())?;
    let last = values[(n_layers + 1) % 2] as usize;
    let found: Vec<i32> = words[last..][..d * d].iter().map(|&value| value as i32).collect();
    let (found, expected) = (instance.best(&found), instance.score()?);
    if found != expected {
        return Err(format!("d = {d}, {limit}°: the score is {expected:?}, not {found:?}"));
    }
    times.sort_unstable();
    Ok(times[times.len() / 2] as f64 / 1e9)
}
