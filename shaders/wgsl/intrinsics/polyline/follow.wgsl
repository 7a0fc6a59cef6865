// For each link of a layer the greatest value of a link before it. A thread has the links from a
// point with a few differences, of which each takes the maximum over a window of the rows before;
// both ends of the windows rise. A window is divided at the end of the first one: the maxima up to
// there are found backwards, those from there on forwards.

// A column of the values before, and the maxima of its blocks.
struct Column { values: u32, blocks: u32 }

fn value_at(column: Column, row: u32) -> i32 { return bitcast<i32>(load(column.values + row * n_points())); }
fn block_at(column: Column, block: u32) -> i32 { return bitcast<i32>(load(column.blocks + block * n_points())); }

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let before = given[2].x; let blocks = given[2].y; let values = given[2].z;
  let d = n_points(); let n_rows = n_differences(); let n_blocks = (n_rows + BLOCK - 1u) / BLOCK;
  let at = THREADS * number_of(group) + id;
  let point = at % d; let begin = ((at / d) % n_blocks) * BLOCK; let request = at / d / n_blocks;
  if (request >= given[0].x) { return; }
  let record = record_of(request);
  let column = Column(before + request * n_rows * d + point, blocks + request * n_blocks * d + point);
  let none = bitcast<i32>(NO_LINK);
  let end = min(begin + BLOCK, n_rows);
  var first = begin;
  while (first < end) {
    let split = links_before(record, first).y;
    var last = first + 1u;
    while (last < end && links_before(record, last).x <= split) { last++; }
    var front = none; var row = split;
    for (var i = last; i > first; i--) {
      let start = links_before(record, i - 1u).x;
      while (row > start) {
        if (row % BLOCK == 0u && row >= start + BLOCK) {
          row -= BLOCK;
          front = max(front, block_at(column, row / BLOCK));
        } else {
          row--;
          front = max(front, value_at(column, row));
        }
      }
      // The link leads to this point, if there is one.
      let to = point + i - d;
      if (to < d) { store(values + (request * n_rows + i - 1u) * d + to, bitcast<u32>(front)); }
    }
    var back = none; row = split;
    for (var i = first; i < last; i++) {
      let stop = links_before(record, i).y;
      while (row < stop) {
        back = max(back, value_at(column, row));
        row++;
      }
      let to = point + i + 1u - d;
      if (to < d) {
        let cell = (request * n_rows + i) * d + to;
        store(values + cell, bitcast<u32>(max(back, bitcast<i32>(load(values + cell)))));
      }
    }
    first = last;
  }
}
