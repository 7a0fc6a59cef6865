// A list of arcs, included by its kernels. Vertices and rows count from 0. The preceding constants
// are generated from the tables of star-shaders.
//
// The first parameters of all kernels: the number of vertices, the number of the first workgroup,
// the workgroups in the first dimension, and the number of rows; the arcs, notes, whether all arcs
// lead in both directions, the costs; the places, the ends, the parents and the keys.

// Returns the tail, the head and the weight of a row; the tail is NONE if it is no arc.
fn arc_of(row: u32) -> vec3<u32> {
  let tails = given[1].x; let m = given[0].w;
  let tail = load(tails + row);
  if (tail == NONE) { return vec3<u32>(NONE, NONE, 0u); }
  var weight = 0u;
  if (END_WORDS == 2u) { weight = load(tails + 2u * m + row); }
  return vec3<u32>(tail, load(tails + m + row), weight);
}
