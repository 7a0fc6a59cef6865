// Requests for polylines with d points on each guide and p nodes, included by the kernels of
// polylines. The first parameters of all kernels: how many requests there are, the words of a
// record, d, the records, p.
//
// A record holds what the constants say (their values are generated from the tables of
// star-shaders): address and strides of the gradients, the points of the only guide that are
// admitted if p is 3, middles of the nodes and their points inside the image, the offsets of points
// from the middle; then for each difference of indices, plus d - 1, the differences and the points
// of links from a that may precede it. Pairs share a word.

fn n_points() -> u32 { return given[0].w; }
fn n_differences() -> u32 { return 2u * given[0].w - 1u; }
fn n_nodes() -> u32 { return given[1].z; }
fn record_of(request: u32) -> u32 { return given[1].x + request * given[1].y; }

// Returns both numbers of a word.
fn pair(word: u32) -> vec2<u32> { return vec2<u32>(word & 0xffffu, word >> 16u); }
fn is_in(number: u32, range: vec2<u32>) -> bool { return number >= range.x && number < range.y; }

// Returns the differences of preceding links, plus d - 1, and their points if they come from a.
fn links_before(record: u32, difference: u32) -> vec2<u32> {
  return pair(load(record + MIDDLES + 2u * n_nodes() + n_points() + difference));
}
fn points_before(record: u32, difference: u32) -> vec2<u32> {
  return pair(load(record + MIDDLES + 2u * n_nodes() + n_points() + n_differences() + difference));
}
// Returns whether the link to b may follow one that leads to a point of the last guide: its
// difference is the offset of the opposite point.
fn is_followed(record: u32, difference: u32, point: u32) -> bool {
  return is_in(n_points() - 1u - point, points_before(record, difference));
}

fn middle_of(record: u32, node: u32) -> vec2<i32> {
  return vec2<i32>(pair(load(record + MIDDLES + 2u * node)));
}
fn is_inside(record: u32, node: u32, point: u32) -> bool {
  return is_in(point, pair(load(record + MIDDLES + 2u * node + 1u)));
}
fn pixel_of(record: u32, node: u32, point: u32) -> vec2<i32> {
  let offset = load(record + MIDDLES + 2u * n_nodes() + point);
  return middle_of(record, node) + (vec2<i32>(vec2<u32>(offset << 16u, offset)) >> vec2<u32>(16u));
}
