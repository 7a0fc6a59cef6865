// The objects in rectangles: a record for each. A workgroup has a part of a rectangle.

fn meet(idx: u32, at: vec2<i32>) {
  add_record(vec4<u32>(question + 1u, 0u, 0u, idx + 1u));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let part = number_of(group) % given[6].y;
  question = number_of(group) / given[6].y;
  begin_records(id);
  walk_rectangle(part, id);
  reserve_records(id);
  if (is_reserved) { walk_rectangle(part, id); }
}
