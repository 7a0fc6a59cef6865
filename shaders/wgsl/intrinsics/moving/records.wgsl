// Records of answers: the number of the question, a number of 64 bits with the upper word first,
// an object; included by the kernels that add some. Their parameters after those of the index: the
// records, how many there is room for, their counter.

// Adds a record, or only counts it if there is no room.
fn add_record(record: vec4<u32>) {
  // The counter stays near this number.
  if (load(given[5].z) >= MOST_RECORDS) { return; }
  let at = fetch_add(given[5].z, 1u);
  if (at >= given[5].y) { return; }
  let to = given[5].x + 4u * at;
  store(to, record.x); store(to + 1u, record.y); store(to + 2u, record.z); store(to + 3u, record.w);
}
