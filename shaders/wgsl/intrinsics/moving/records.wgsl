// Records of answers: the number of the question, a number of 64 bits with the upper word first,
// an object; included by the kernels that add some. Their parameters after those of the index: the
// records, how many there is room for, their counter, which is followed by a mark if there are too
// many; the word with the first phase that is not due (Note [Phases] in star-shaders).
//
// A workgroup finds its records twice: first it counts them, then it stores them in a range that it
// has reserved, so the common counter receives one addition from each.

var<workgroup> n_found: atomic<u32>;
var<workgroup> n_before: u32;
var<private> is_reserved: bool;

// Counts a record, or stores it where there is room.
fn add_record(record: vec4<u32>) {
  let own = atomicAdd(&n_found, 1u);
  if (!is_reserved) { return; }
  let at = n_before + own;
  if (at >= given[5].y) { return; }
  let to = given[5].x + 4u * at;
  store(to, record.x); store(to + 1u, record.y); store(to + 2u, record.z); store(to + 3u, record.w);
}

fn begin_records(id: u32) {
  if (id == 0u) { atomicStore(&n_found, 0u); }
  workgroupBarrier();
}

// Reserves as many records as have been counted.
fn reserve_records(id: u32) {
  workgroupBarrier();
  if (id == 0u) {
    let n = atomicLoad(&n_found);
    n_before = 0xffffffffu;
    if (n != 0u && load(given[5].z + 1u) == 0u) {
      let before = fetch_add(given[5].z, n);
      if (before + n < before || before + n >= MOST_RECORDS) { join_max(given[5].z + 1u, 1u); }
      else { n_before = before; }
      // Without room, the updates of the batch wait until its queries are answered again.
      if (before + n > given[5].y && given[5].w != 0u) { join_max(given[5].w, given[6].z + 1u); }
    }
    atomicStore(&n_found, 0u);
  }
  workgroupBarrier();
  is_reserved = workgroupUniformLoad(&n_before) != 0xffffffffu;
}
