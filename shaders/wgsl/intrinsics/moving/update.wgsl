// The last updates of a batch, included by the kernels that apply one after a source of updates:
// `lists` or `stream`. The parameters of all sources: how many updates there are, in the first word
// after those of the index; the stamps of objects and their distance, in the next vector.

fn stamp_of(idx: u32) -> u32 { return given[6].y + given[6].z * idx; }

// Returns whether it is the last update of its object in the batch.
fn is_last(update: u32) -> bool { return load(stamp_of(moved(update))) == update + 1u; }
