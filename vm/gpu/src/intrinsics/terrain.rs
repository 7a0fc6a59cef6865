//! The routines of module `terrain`. The mesh is the tables of the handle, which stay on the
//! device.

use star_shaders::intrinsics::cbt::{self, Groups, NOTES};
use star_shaders::intrinsics::terrain as shaders;
use star_vm::Declined;

use super::cbt::{counted, depth_of, groups, limbs, n_words};
use super::work::{Executor, Units, read_numbers, write_numbers};
use super::{IntrinsicResult, NotTaken};
use crate::run::{Call, Placed};
use crate::value::ObjectKind;

const FIELD: &str = "field";
const RADIUS: &str = "radius";
const HEIGHTS: &str = "heights";
const WIDTH: &str = "width";
/// Bits of a radius, and of the number of samples in a row.
const RADIUS_BITS: u32 = 32;
/// Words of a column of one row.
const WIDTH_STRIDE: u32 = 2;
/// Bits of a pixel.
const PIXEL_BITS: u32 = 24;
/// The greatest number of bits of heights in a picture.
const MAX_COLOUR_BITS: u32 = 24;
/// Numbers of a thread that finds a range, and limbs that take as long as a pixel.
const SHARE: u32 = 64;
const LIMBS_OF_A_PIXEL: u64 = 256;
/// The handle holds no mesh, or an argument is invalid: the body reports it.
const INVALID: NotTaken = NotTaken::Declined(Declined::Guard);
/// The greatest number of steps of a side.
const MAX_SIDE: u32 = 1 << 14;
/// A viewpoint so far away that only diamonds that are always split are split.
const FAR_AWAY: [i32; 2] = [1 << 22, 0];
/// The number of bits of the sums of Note \[Errors\].
const SUM_BITS: u32 = 31;
/// Rows of a strip of a triangle, and its cells for each thread.
const STRIP_ROWS: u32 = 16;
const STRIP_CELLS: u32 = 16;
/// Limbs whose processing takes as long as deciding about all leaves in a word of the field.
const LIMBS_OF_A_WORD: u64 = 64;

/// Memory for a batch of splits and merges.
#[derive(Clone, Copy, Debug)]
struct Batch {
    depth: u32,
    splits: u32,
    merges: u32,
    notes: u32,
    /// Address and stride of the radii.
    radii: [u32; 2],
}

/// `TERRAIN_INIT(w,Z,eps,near,H)`
pub(super) fn init(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (width, samples) = (call.size(0)?, call.object(1)?);
    let [tolerance, near] = [call.size(2)?, call.size(3)?];
    let Placed { at: planes, stride, sizes } = samples;
    let (n_samples, columns) = (sizes.rows, sizes.columns);
    let height = n_samples / width.max(1);
    let is_grid = height * width == n_samples && (2..=MAX_SIDE + 1).contains(&height);
    if !(2..=MAX_SIDE + 1).contains(&width) || !is_grid {
        return Err(INVALID);
    }
    let side = (width.max(height) - 1).next_power_of_two();
    let depth = 2 * side.ilog2() + 1;
    if columns + side.ilog2() > SUM_BITS {
        return Err(NotTaken::Declined(Declined::Range));
    }
    let n_nodes = 1_u64 << depth;
    let mut fields = [call.reserve_part([n_nodes, 1])?, call.reserve_part([n_nodes, 1])?];
    let radius = call.reserve_part([n_nodes, RADIUS_BITS.into()])?;
    let heights = call.reserve_part([n_samples.into(), columns.into()])?;
    let width_part = call.reserve_part([1, RADIUS_BITS.into()])?;
    let numbers = call.extra(n_samples.into())?.at;
    let errors = call.extra(n_nodes)?.at;
    let radii = call.extra(n_nodes)?.at;
    let batch = Batch::new(call, depth, [radius.at(), radius.sizes.stride()])?;
    let groups = groups(call, depth)?;

    read_numbers(call, groups.words, samples, numbers)?;
    let of_grid = [width, height, tolerance, near];
    for level in (1..depth).rev() {
        // Every level is a contiguous range of nodes.
        let first = 1 << level;
        let longest = (side >> ((level - 1) / 2)) + 1;
        let strips = longest.div_ceil(STRIP_ROWS);
        let cells = longest * longest.min(STRIP_ROWS);
        let lanes = cells.div_ceil(STRIP_CELLS).next_power_of_two().min(groups.words);
        let n = u64::from(first) * u64::from(strips) * u64::from(lanes);
        let units = over(groups, depth, n, cells.div_ceil(lanes).into());
        let strips = [lanes, strips, STRIP_ROWS];
        let given = [&[errors, numbers, first, 0], &of_grid[..], &strips].concat();
        units.run(call, &shaders::errors(groups), &given)?;
        let units = over(groups, depth, first.into(), LIMBS_OF_A_WORD / 16);
        let given = [&[errors, radii, first, 0], &of_grid[..]].concat();
        units.run(call, &shaders::radius(groups), &given)?;
        units.run(call, &shaders::diamond(groups), &[errors, radii, first])?;
    }
    write_numbers(call, groups.words, radii, [n_nodes as u32, 1, RADIUS_BITS], radius)?;

    let units = over(groups, depth, n_words(depth).into(), 1);
    units.run(call, &cbt::init(groups), &[fields[0].at(), n_nodes as u32 / 2])?;
    while batch.run(call, fields[0].at(), fields[1].at(), FAR_AWAY)? != [0; 2] {
        fields.swap(0, 1);
    }
    for column in 0..columns {
        let from = planes + column * stride;
        let to = heights.at() + column * heights.sizes.stride();
        call.copy(from, to, heights.sizes.stride())?;
    }
    let mut bits = [0; (RADIUS_BITS * WIDTH_STRIDE) as usize];
    for (column, bit) in bits.iter_mut().step_by(WIDTH_STRIDE as usize).enumerate() {
        *bit = width >> (RADIUS_BITS - 1 - column as u32) & 1;
    }
    call.write(width_part.at(), &bits)?;
    let [field, _] = fields;
    call.unset_other_modules(4)?;
    call.put_part(4, FIELD, field)?;
    call.put_part(4, RADIUS, radius)?;
    call.put_part(4, HEIGHTS, heights)?;
    call.put_part(4, WIDTH, width_part)
}

/// `TERRAIN_STEP(x,y,H,splits,merges)`
pub(super) fn step(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let viewpoint = [0, 1].map(|idx| i32::try_from(call.int(idx)?).map_err(|_| INVALID));
    let [x, y] = viewpoint;
    let viewpoint = [x?, y?];
    let (depth, field) = field_of(call, 2)?;
    let radius = call.part(2, RADIUS)?.ok_or(INVALID)?;
    if (radius.sizes.rows, radius.sizes.columns) != (1 << depth, RADIUS_BITS) {
        return Err(INVALID);
    }
    let new = call.reserve_part([1 << depth, 1])?;
    let batch = Batch::new(call, depth, [radius.at, radius.stride])?;
    let [splits, merges] = batch.run(call, field, new.at(), viewpoint)?;
    call.put_part(2, FIELD, new)?;
    call.put_number(3, splits.into())?;
    call.put_number(4, merges.into())
}

/// `TERRAIN_MESH(H,T)`
pub(super) fn mesh(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (depth, field) = field_of(call, 0)?;
    let (heights, size) = grid_of(call)?;
    let n_samples = heights.sizes.rows;
    let groups = groups(call, depth)?;
    let marks = call.extra(n_words(depth).into())?.at;
    let directory = call.extra(groups.directory_words(depth).into())?.at;
    let units = over(groups, depth, n_words(depth).into(), LIMBS_OF_A_WORD);
    let given = [&[field, marks, 0, 0], &size[..]].concat();
    units.run(call, &shaders::inside(groups), &given)?;
    // The marks encode no tree, which is noted next to their number.
    let launches = counted(call, (marks, 0), [0; 2], depth, directory)?;
    call.launch(&launches, limbs(depth))?;
    let [n] = call.words(directory + groups.total(depth))?;

    let bits = n_samples.checked_ilog2().map_or(1, |log| log + 1);
    let table = call.reserve(1, ObjectKind::Table, [n.into(), u64::from(3 * bits)])?;
    let list = call.extra(3 * u64::from(n))?.at;
    let given = [&[field, marks, directory, list], &size[..]].concat();
    units.run(call, &shaders::corners(groups), &given)?;
    write_numbers(call, groups.words, list, [n, 3, bits], table)?;
    call.put(1, table)
}

/// `TERRAIN_PICTURE(H,s,step,P)`
pub(super) fn picture(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (scale, step) = (call.size(1)?, call.size(2)?);
    let (depth, field) = field_of(call, 0)?;
    let (heights, size) = grid_of(call)?;
    let sizes = heights.sizes;
    if sizes.columns > MAX_COLOUR_BITS {
        return Err(NotTaken::Declined(Declined::Range));
    }
    let [n_columns, n_rows] = size.map(|samples| (samples - 1) * scale);
    let n_bits = u64::from(n_columns) * u64::from(PIXEL_BITS);
    let table = call.reserve(3, ObjectKind::Table, [n_rows.into(), n_bits])?;
    let n_pixels = u64::from(n_columns) * u64::from(n_rows);
    let list = call.extra(n_pixels)?.at;
    let numbers = call.extra(sizes.rows.into())?.at;
    let (notes, groups) = (call.notes(NOTES)?, groups(call, depth)?);

    read_numbers(call, groups.words, heights, numbers)?;
    let n = sizes.rows.div_ceil(SHARE).into();
    let units = over(groups, depth, n, u64::from(SHARE) / 2);
    units.run(call, &shaders::range(groups), &[numbers, sizes.rows, SHARE, notes])?;
    let units = over(groups, depth, n_pixels, LIMBS_OF_A_PIXEL);
    let n_pixels = u32::try_from(n_pixels).map_err(|_| NotTaken::Declined(Declined::Range))?;
    let of_picture = [size[0], n_columns, n_pixels, step, scale];
    let given = [&[field, numbers, list, notes], &of_picture[..]].concat();
    units.run(call, &shaders::pixels(groups), &given)?;
    write_numbers(call, groups.words, list, [n_rows, n_columns, PIXEL_BITS], table)?;
    call.put(3, table)
}

/// Returns the heights of the mesh in the first parameter, samples in a row, and rows.
fn grid_of(call: &mut Call<'_, '_, '_>) -> Result<(Placed, [u32; 2]), NotTaken> {
    let part = |name: &str| call.part(0, name)?.ok_or(INVALID);
    let (heights, width) = (part(HEIGHTS)?, part(WIDTH)?);
    let (n_samples, sizes) = (heights.sizes.rows, width.sizes);
    if (sizes.rows, sizes.columns, width.stride) != (1, RADIUS_BITS, WIDTH_STRIDE) {
        return Err(INVALID);
    }
    let columns = call.words::<{ (RADIUS_BITS * WIDTH_STRIDE) as usize }>(width.at)?;
    let bits = columns.iter().step_by(WIDTH_STRIDE as usize);
    let width = bits.fold(0, |width, bit| width << 1 | bit & 1);
    match n_samples / width.max(1) {
        height if width >= 2 && height >= 2 => Ok((heights, [width, height])),
        _ => Err(INVALID),
    }
}

/// Returns the depth and the field of the mesh in a parameter.
fn field_of(call: &Call<'_, '_, '_>, param: usize) -> Result<(u32, u32), NotTaken> {
    let field = call.part(param, FIELD)?.ok_or(INVALID)?;
    match depth_of(field.sizes.rows)? {
        depth if depth % 2 == 1 && field.sizes.columns == 1 => Ok((depth, field.at)),
        _ => Err(INVALID),
    }
}

/// A kernel with this number of units, which access some limbs each.
fn over(groups: Groups, depth: u32, n: u64, limbs: u64) -> Units {
    Units { head: [depth, 0], threads: groups.words, n, limbs }
}

impl Batch {
    fn new(call: &mut Call<'_, '_, '_>, depth: u32, radii: [u32; 2]) -> Result<Batch, NotTaken> {
        let [splits, merges] =
            [call.extra(n_words(depth).into())?, call.extra(n_words(depth).into())?];
        Ok(Batch { depth, splits: splits.at, merges: merges.at, notes: call.notes(NOTES)?, radii })
    }

    /// Changes a mesh towards that for a viewpoint; returns how many leaves were split, and how
    /// many pairs were merged.
    fn run(
        &self,
        call: &mut Call<'_, '_, '_>,
        field: u32,
        to: u32,
        viewpoint: [i32; 2],
    ) -> Result<[u32; 2], NotTaken> {
        let Batch { depth, splits, merges, notes, radii } = *self;
        let groups = groups(call, depth)?;
        call.write(notes, &[0; NOTES as usize])?;
        let units = over(groups, depth, n_words(depth).into(), LIMBS_OF_A_WORD);
        let viewpoint = viewpoint.map(|coordinate| coordinate as u32);
        let given = [&[field, splits, merges, 0], &radii[..], &viewpoint].concat();
        let mut launches = units.launches(call, &shaders::judge(groups), &given)?;
        let given = [field, splits, merges, to, notes];
        launches.extend(units.launches(call, &cbt::change(groups), &given)?);
        call.launch(&launches, units.n * units.limbs / (launches.len() as u64).max(1))?;
        match call.words::<{ NOTES as usize }>(notes)? {
            [n_splits, n_merges, 0] => Ok([n_splits, n_merges]),
            [_, _, _] => Err(INVALID),
        }
    }
}
