// The objects in circles: a record for each, with the square of its distance. A workgroup has a
// point.

var<private> question: u32;

fn meet(idx: u32, at: vec2<i32>) {
  if (is_near(question, at)) {
    let square = distance2(point_of(question), at);
    add_record(vec4<u32>(question + 1u, square.y, square.x, idx + 1u));
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  question = number_of(group);
  let is_open = question < given[7].x;
  begin_records(id);
  if (is_open) { walk_around(question, id); }
  reserve_records(id);
  if (is_open && is_reserved) { walk_around(question, id); }
}
