// An index of moving objects, included by its kernels (Note [Objects and buckets] in star-shaders).
// The constants before are generated from the tables of star-shaders.
//
// The first parameters of all kernels: how many objects there may be; the objects, the heads of
// buckets, their slots, the tiles; the least coordinates, the greatest distances from them; tiles
// for each unit, with 56 bits after the point, tiles across, how many cells there are; the counter
// of buckets, their number, notes.

fn n_ids() -> u32 { return given[0].x; }
fn object_of(idx: u32) -> u32 { return given[1].x + 4u * idx; }
fn head_of(bucket: u32) -> u32 { return given[1].y + 2u * bucket; }
fn slot_of(place: u32) -> u32 { return given[1].z + place; }
fn tile_of(tile: u32) -> u32 { return given[1].w + 2u * tile; }
fn n_cells() -> u32 { return given[3].w; }
fn notes() -> u32 { return given[4].z; }

fn position_of(object: u32) -> vec2<i32> {
  return vec2<i32>(vec2<u32>(load(object + X), load(object + X + 1u)));
}

// Returns where a coordinate is, in 2^-16 of the side of a tile.
fn along(c: i32, axis: u32) -> u32 {
  let low = bitcast<i32>(given[2][axis]);
  if (c <= low) { return 0u; }
  let from_low = min(bitcast<u32>(c) - bitcast<u32>(low), given[2][2u + axis]);
  let upper = product(from_low, given[3].y);
  let all = sum(upper, vec2<u32>(product(from_low, given[3].x).y, 0u));
  return (all.x >> 8u) | (all.y << 24u);
}

// Returns the column or row of cells of a tile with this number of them.
fn cell_in(place: u32, side: u32) -> u32 { return ((place & 0xffffu) * side) >> 16u; }

fn cell_of(at: vec2<i32>) -> u32 {
  let x = along(at.x, 0u); let y = along(at.y, 1u);
  let tile = tile_of((y >> 16u) * given[3].z + (x >> 16u));
  let side = load(tile);
  return load(tile + 1u) + cell_in(y, side) * side + cell_in(x, side);
}
