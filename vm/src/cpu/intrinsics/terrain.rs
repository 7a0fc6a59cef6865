//! The routines of module `terrain`, with a [`Mesh`] in the handle.

use star_intrinsics::terrain::{GridSize, Mesh, MeshError, PIXEL_BITS};
use star_intrinsics::{InterruptPoller, LineOrder, read_numbers, write_numbers};

use super::{IntrinsicCall, IntrinsicResult, NotTaken};

impl From<MeshError> for NotTaken {
    fn from(error: MeshError) -> Self {
        match error {
            MeshError::Ended(ended) => ended.into(),
            // The Star body reports the error.
            MeshError::Size { .. } | MeshError::Tree(_) => NotTaken::declined(),
        }
    }
}

/// `TERRAIN_INIT(w,Z,eps,near,H)`
pub(super) fn init(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (width, [n_samples, n_bits]) = (call.size(0)?, call.table_size(1)?);
    let bound = [2, 3].map(|idx| u32::try_from(call.int(idx)?).map_err(|_| NotTaken::declined()));
    let [tolerance, near] = bound;
    let height = n_samples / width;
    if height * width != n_samples {
        return Err(NotTaken::declined());
    }
    let size = GridSize::new([width, height])?;
    call.reserve(Mesh::most_bytes(size, n_bits))?;
    call.transpose(1, LineOrder::Columns)?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let samples = read_numbers(call.lines(1, LineOrder::Columns)?, 0, n_bits, &mut poller)?;
    let bound = [tolerance?, near?];
    let mesh = Mesh::new(size, samples, n_bits, bound, &environment)?;
    call.put_state(4, mesh)
}

/// `TERRAIN_STEP(x,y,H,splits,merges)`
pub(super) fn step(call: &mut IntrinsicCall) -> IntrinsicResult {
    let viewpoint =
        [0, 1].map(|idx| i32::try_from(call.int(idx)?).map_err(|_| NotTaken::declined()));
    let [x, y] = viewpoint;
    let viewpoint = [x?, y?];
    call.own_state::<Mesh>(2)?;
    let environment = call.environment();
    let [splits, merges] =
        call.change_state(2, |mesh: &mut Mesh, _| Ok(mesh.step(viewpoint, &environment)?))?;
    call.put_int(3, splits as i64)?;
    call.put_int(4, merges as i64)
}

/// `TERRAIN_MESH(H,T)`
pub(super) fn mesh(call: &mut IntrinsicCall) -> IntrinsicResult {
    let mesh = call.state::<Mesh>(0)?;
    call.reserve(mesh.triangle_bytes())?;
    let environment = call.environment();
    let triangles = mesh.triangles(&environment)?;
    let width = mesh.samples().len().ilog2() as usize + 1;
    let mut table = call.reserve_table(1, triangles.len(), 3 * width, LineOrder::Columns)?;
    let mut poller = InterruptPoller::new(&environment);
    for corner in 0..3 {
        let numbers = mesh.corner_numbers(&triangles, corner)?;
        write_numbers(&mut table, corner * width, width, &numbers, &mut poller)?;
    }
    call.put_table(1, table, LineOrder::Columns)
}

/// `TERRAIN_PICTURE(H,s,step,P)`
pub(super) fn picture(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (mesh, scale) = (call.state::<Mesh>(0)?, call.size(1)?);
    let step = u32::try_from(call.int(2)?).map_err(|_| NotTaken::declined())?;
    let [n_rows, n_cols] = mesh.picture_size(scale);
    let mut rows = call.reserve_table(3, n_rows, PIXEL_BITS * n_cols, LineOrder::Rows)?;
    call.reserve(mesh.triangle_bytes())?;
    mesh.draw(scale, step, &mut rows, &call.environment())?;
    call.put_table(3, rows, LineOrder::Rows)
}
