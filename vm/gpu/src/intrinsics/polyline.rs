//! The routine POLYLINES of module `polyline`. The host computes the guides of the requests and the
//! links that angles admit, which are as many as the points; the device computes the numbers of all
//! links.

use star_intrinsics::polyline::{Admitted, Geometry, Pixel, Request};
use star_shaders::Shader;
use star_shaders::intrinsics::polyline::{self as shaders, BLOCK, record};
use star_vm::Declined;

use super::work::{Batch, Executor, Units, Work};
use super::{IntrinsicResult, NotTaken};
use crate::run::{Call, Placed};
use crate::value::ObjectKind;

/// Bits of a coordinate, and of a score.
const COORDINATE_BITS: u32 = 16;
const SCORE_BITS: u32 = 32;
/// Threads of a workgroup, usually and at least.
const THREADS: [u32; 2] = [256, 4];
/// Words of all layers of the requests that run together, and the greatest number of them if
/// workgroups are small.
const TOGETHER_WORDS: u64 = 1 << 22;
const FEW_TOGETHER: u64 = 2;
/// The greatest number of iterations of a thread over the points of guides.
const MOST_ITERATIONS: u32 = 1 << 14;
/// Smoothings of a submission.
const BLURS_AT_ONCE: u32 = 256;
/// Limbs whose processing takes as long as a pixel of the gradient.
const LIMBS_OF_A_VECTOR: u64 = 32;
/// An argument is invalid: the body reports it.
const INVALID: NotTaken = NotTaken::Declined(Declined::Guard);
const TOO_LARGE: NotTaken = NotTaken::Declined(Declined::Range);
const NO_MEMORY: NotTaken = NotTaken::Declined(Declined::Memory);

/// An image, in words from the top.
#[derive(Clone, Copy, Debug)]
struct Image {
    width: u32,
    height: u32,
}

/// Unit gradients of an image.
#[derive(Clone, Copy, Debug)]
struct Gradients {
    at: u32,
    /// The distances of the vectors of adjacent pixels: to the right, and down.
    strides: [u32; 2],
}

/// Memory and kernels of the requests that run together.
#[derive(Debug)]
struct Search {
    threads: u32,
    n_nodes: u32,
    n_points: u32,
    /// The greatest number of requests.
    together: u32,
    records: u32,
    record_words: u32,
    ends: u32,
    blocks: u32,
    layers: u32,
    layer_words: u32,
    states: u32,
    kernels: Kernels,
}

#[derive(Debug)]
struct Kernels {
    ends: Shader,
    links: Shader,
    blocks: Shader,
    follow: Shader,
    trace: Shader,
}

/// `POLYLINES(w,t,Grey,Q,p,d,width,g,Score,Path,Out)`
pub(super) fn polylines(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (width, n_blurs, grey) = (call.size(0)?, call.size(1)?, call.object(2)?);
    if !grey.sizes.rows.is_multiple_of(width) {
        return Err(INVALID);
    }
    let image = Image { width, height: grey.sizes.rows / width };
    let requests = requests(call)?;
    let size = [image.width, image.height].map(|side| side as usize);
    if requests.iter().any(|request| request.check(size[0], size[1]).is_err()) {
        return Err(INVALID);
    }
    let (n_nodes, n_requests) = (call.size(4)?, requests.len() as u32);
    let [of_path, of_guides] = [n_nodes, n_nodes - 2].map(|n| u64::from(n_requests) * u64::from(n));
    let score = call.reserve(8, ObjectKind::Table, [n_requests.into(), SCORE_BITS.into()])?;
    let path_columns = u64::from(2 * COORDINATE_BITS);
    let path = call.reserve(9, ObjectKind::Table, [of_path, path_columns])?;
    let out = call.reserve(10, ObjectKind::Table, [of_guides, COORDINATE_BITS.into()])?;
    if !requests.is_empty() {
        let [scores, nodes] = [u64::from(n_requests), of_path].map(|n| call.extra(n));
        let (scores, nodes) = (scores?.at, nodes?.at);
        let outside = call.extra(of_guides)?.at;
        let threads = THREADS[usize::from(call.grid()?.has_small_groups())];
        let search = Search::new(call, threads, &requests)?;
        // One submission for everything, unless the requests take several.
        let mut batch = Batch::default();
        let gradients = gradients(call, &mut batch, threads, grey, image, n_blurs, &requests)?;
        let mut n_outside = Vec::new();
        for (group, requests) in requests.chunks(search.together as usize).enumerate() {
            let first = group as u32 * search.together;
            let mut records = Vec::new();
            for request in requests {
                let geometry = Geometry::new(request, size[0], size[1]).map_err(|_| NO_MEMORY)?;
                let gradients = gradients[usize::from(is_by_columns(request))].ok_or(INVALID)?;
                search.describe(request, &geometry, gradients, &mut records)?;
                let n_points = search.n_points;
                n_outside
                    .extend(geometry.guides().map(|guide| n_points - guide.inside.len() as u32));
            }
            if group > 0 {
                std::mem::take(&mut batch).run(call)?;
            }
            call.write(search.records, &records)?;
            let to = [scores + first, nodes + first * n_nodes];
            search.add(call, &mut batch, requests, to)?;
        }
        call.write(outside, &n_outside)?;
        let [n_path, n_guides] = [of_path, of_guides].map(|n| n as u32);
        batch.write_numbers(call, threads, scores, [n_requests, 1, SCORE_BITS], score)?;
        batch.write_numbers(call, threads, nodes, [n_path, 1, 2 * COORDINATE_BITS], path)?;
        batch.write_numbers(call, threads, outside, [n_guides, 1, COORDINATE_BITS], out)?;
        batch.run(call)?;
    }
    call.put(8, score)?;
    call.put(9, path)?;
    call.put(10, out)
}

/// Returns the requests, valid or not.
fn requests(call: &mut Call<'_, '_, '_>) -> Result<Vec<Request>, NotTaken> {
    let Placed { at, stride, sizes } = call.object(3)?;
    let [n_nodes, n_points, width, max_turn] = [4, 5, 6, 7].map(|param| call.size(param));
    let (n_nodes, n_points) = (n_nodes? as usize, n_points? as usize);
    let (width, max_turn) = (width? as usize, max_turn? as usize);
    let mut words = vec![0; (stride * sizes.columns) as usize];
    call.read(at, &mut words)?;
    let request = |row: u32| {
        // Coordinates count from 1.
        let [ax, ay, bx, by] = [0, 1, 2, 3].map(|field| {
            let columns = field * COORDINATE_BITS..(field + 1) * COORDINATE_BITS;
            let bit = |column: u32| words[(column * stride + row / 32) as usize] >> (row % 32) & 1;
            i64::from(columns.fold(0, |number, column| number << 1 | bit(column))) - 1
        });
        let (a, b) = (Pixel { x: ax, y: ay }, Pixel { x: bx, y: by });
        Request { a, b, n_nodes, n_points, width, max_turn }
    };
    Ok((0..sizes.rows).map(request).collect())
}

/// Whether gradients are stored column by column for a request, so that those of the points of a
/// guide are close to each other.
fn is_by_columns(request: &Request) -> bool {
    let Request { a, b, .. } = request;
    (b.x - a.x).abs() > (b.y - a.y).abs()
}

/// Adds the computation of the gradients of an image, row by row and column by column where a
/// request needs them; most smoothings are run at once.
fn gradients(
    call: &mut Call<'_, '_, '_>,
    batch: &mut Batch,
    threads: u32,
    grey: Placed,
    image: Image,
    n_blurs: u32,
    requests: &[Request],
) -> Result<[Option<Gradients>; 2], NotTaken> {
    let Image { width, height } = image;
    let n = u64::from(width) * u64::from(height);
    let mut gradients = [None; 2];
    for (by_columns, strides) in [(false, [1, width]), (true, [height, 1])] {
        if requests.iter().any(|request| is_by_columns(request) == by_columns) {
            let at = call.extra(n)?.at;
            gradients[usize::from(by_columns)] = Some(Gradients { at, strides });
        }
    }
    let mut pixels = call.extra(n)?.at;
    let mut other = if n_blurs > 0 { call.extra(n)?.at } else { pixels };
    batch.read_numbers(call, threads, grey, pixels)?;
    let units = Units { head: [0; 2], threads, n, limbs: LIMBS_OF_A_VECTOR };
    let (blur, mut blurred) = (shaders::blur(threads), 0);
    while blurred < n_blurs {
        for _ in 0..BLURS_AT_ONCE.min(n_blurs - blurred) {
            // The first result is in units of 1/16.
            let shift = if blurred == 0 { 0 } else { 4 };
            batch.add(call, units, &blur, &[pixels, width, height, other, shift])?;
            (pixels, other, blurred) = (other, pixels, blurred + 1);
        }
        std::mem::take(batch).run(call)?;
    }
    for Gradients { at, strides } in gradients.into_iter().flatten() {
        let given = [&[pixels, width, height, at], &strides[..]].concat();
        batch.add(call, units, &shaders::gradient(threads), &given)?;
    }
    Ok(gradients)
}

impl Search {
    /// Allocates the memory for requests, which have the same numbers of nodes and points.
    fn new(
        call: &mut Call<'_, '_, '_>,
        threads: u32,
        requests: &[Request],
    ) -> Result<Search, NotTaken> {
        let (n_nodes, n_points) = (call.size(4)?, call.size(5)?);
        let (p, d) = (u64::from(n_nodes), u64::from(n_points));
        let (n_layers, of_layer) = (p - 3, (2 * d - 1) * d);
        let most = match call.grid()?.has_small_groups() {
            true => FEW_TOGETHER,
            false => TOGETHER_WORDS / (of_layer * n_layers.max(1)),
        };
        let together = most.clamp(1, requests.len() as u64);
        let record_words = u64::from(record::MIDDLES) + 2 * p + d + 2 * (2 * d - 1);
        // All memory is cleared at once.
        let of_blocks = (2 * d - 1).div_ceil(BLOCK.into()) * d;
        let words = [record_words, 2 * d, of_blocks, 2, of_layer * n_layers];
        let mut at = call.extra(together * words.iter().sum::<u64>())?.at;
        let [records, ends, blocks, states, layers] = words.map(|words| {
            let first = at;
            at = at.wrapping_add((together * words) as u32);
            first
        });
        Ok(Search {
            threads,
            n_nodes,
            n_points,
            together: together as u32,
            records,
            record_words: record_words as u32,
            ends,
            blocks,
            layers,
            layer_words: u32::try_from(together * of_layer).map_err(|_| TOO_LARGE)?,
            states,
            kernels: Kernels {
                ends: shaders::ends(threads),
                links: shaders::links(threads),
                blocks: shaders::blocks(threads),
                follow: shaders::follow(threads),
                trace: shaders::trace(threads),
            },
        })
    }

    /// Appends the record of a request.
    fn describe(
        &self,
        request: &Request,
        geometry: &Geometry,
        gradients: Gradients,
        records: &mut Vec<u32>,
    ) -> IntrinsicResult {
        let pair = |[low, high]: [i64; 2]| low as u32 & 0xffff | (high as u32) << 16;
        let admitted = Admitted::new(geometry.turn(), request.n_points).map_err(|_| NO_MEMORY)?;
        let [right, down] = gradients.strides;
        let alone = [admitted.alone.start, admitted.alone.end].map(|idx| idx as i64);
        records.extend([gradients.at, right, down, pair(alone)]);
        let place = |Pixel { x, y }: Pixel| pair([x, y]);
        records.extend([place(request.a), 0]);
        for guide in geometry.guides() {
            let inside = [guide.inside.start, guide.inside.end].map(|idx| idx as i64);
            records.extend([place(guide.middle()), pair(inside)]);
        }
        records.extend([place(request.b), 0]);
        records.extend(geometry.offsets().iter().copied().map(place));
        let most = request.n_points as i64 - 1;
        let links = admitted.links.iter().map(|links| pair([links.start + most, links.end + most]));
        records.extend(links);
        records.extend(admitted.first.iter().map(|points| pair([points.start, points.end])));
        Ok(())
    }

    /// Adds the kernels that answer requests whose records are written. `to`: the scores, and the
    /// nodes.
    fn add(
        &self,
        call: &mut Call<'_, '_, '_>,
        batch: &mut Batch,
        requests: &[Request],
        to: [u32; 2],
    ) -> IntrinsicResult {
        let Search { threads, n_nodes, n_points, ends, blocks, .. } = *self;
        let n_requests = requests.len() as u32;
        let n_rows = 2 * n_points - 1;
        let n_blocks = n_rows.div_ceil(BLOCK);
        let head = [n_requests, n_points];
        let of_requests = [self.records, self.record_words, n_nodes, 0];
        // The pixels of a link.
        let span = |Request { a, b, .. }: &Request| a.x.abs_diff(b.x).max(a.y.abs_diff(b.y));
        let spans: u64 = requests.iter().map(span).sum();
        let width = requests.first().map_or(0, |request| request.width as u64);
        let pixels = spans / u64::from(n_requests * (n_nodes - 1)) + width / 2 + 1;
        let per_request = |rows: u32, limbs: u64| {
            let n = u64::from(n_requests) * u64::from(rows) * u64::from(n_points);
            Units { head, threads, n, limbs }
        };
        let kernels = &self.kernels;
        let mut add = |call: &mut Call<'_, '_, '_>, units, shader, given: &[u32]| {
            batch.add(call, units, shader, &[&of_requests[..], given].concat())
        };
        add(call, per_request(2, pixels), &kernels.ends, &[ends])?;
        let mut before = 0;
        for node in 1..n_nodes - 2 {
            let values = self.layers + (node - 1) * self.layer_words;
            let is_last = u32::from(node == n_nodes - 3);
            if node > 1 {
                let limbs = u64::from(4 * BLOCK + n_blocks);
                let given = [before, blocks, values];
                add(call, per_request(n_blocks, limbs), &kernels.follow, &given)?;
            }
            let given = [ends, is_last, values, node];
            add(call, per_request(n_rows, pixels), &kernels.links, &given)?;
            add(call, per_request(n_blocks, BLOCK.into()), &kernels.blocks, &[values, blocks])?;
            before = values;
        }
        let at_once = (MOST_ITERATIONS / (n_points.div_ceil(threads) + threads.ilog2())).max(1);
        let mut from_node = n_nodes - 1;
        loop {
            let n = at_once.min(from_node - 2);
            let memory = [ends, blocks, self.layers, self.layer_words];
            let results = [to[0], to[1], self.states, 0];
            let given = [&of_requests[..], &memory, &results, &[from_node, n]].concat();
            let limbs = u64::from(n_points) * u64::from(n_blocks + n);
            let work = Work { head, n_groups: n_requests, limbs, given };
            batch.add_work(call, &work, &kernels.trace)?;
            from_node -= n;
            if from_node == 2 {
                return Ok(());
            }
        }
    }
}
