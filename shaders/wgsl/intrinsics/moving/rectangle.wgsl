// The rectangles of queries, included by the kernels of range queries. Their parameters after those
// of answers: the rectangles, the workgroups of each, the phase, an unused word; both coordinates
// of the first corners and of the second ones.

// The query of a workgroup.
var<private> question: u32;

// Walks over a part of the rectangle of the query.
fn walk_rectangle(part: u32, id: u32) {
  let corners = given[7];
  if (question >= given[6].x) { return; }
  let low = vec2<i32>(vec2<u32>(load(corners.x + question), load(corners.y + question)));
  let high = vec2<i32>(vec2<u32>(load(corners.z + question), load(corners.w + question)));
  // The interval from a number to a smaller one is empty.
  if (all(low <= high)) { walk(low, high, id, part, given[6].y); }
}
