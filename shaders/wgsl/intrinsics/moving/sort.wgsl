// The records of each run of THREADS in order. A thread has a record.

var<workgroup> run: array<vec4<u32>, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n = given[1].y;
  let first = THREADS * number_of(group);
  var own = vec4<u32>(0xffffffffu);
  if (first + id < n) { own = record_at(first + id); }
  run[id] = own;
  workgroupBarrier();
  if (first + id >= n) { return; }
  var rank = 0u;
  for (var i = 0u; i < min(THREADS, n - first); i++) { rank += select(0u, 1u, is_before(run[i], own)); }
  put_record(first + rank, own);
}
