//! Which fast paths a run took, and why it declined others.
//!
//! A fast path that never runs passes every comparison of results, so tests ask for these counts. They
//! are of whole loops, kernels, flushes and calls; operations are counted only where they go by blocks or on sparse tables, and so are never
//! short.

/// What a run took, and what it declined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// `forall` loops whose iterations ran as one kernel over lines of a table.
    pub line_kernels: u64,
    /// Iterations of those.
    pub lines: u64,
    /// `for` loops whose turns ran as one kernel over columns.
    pub loop_kernels: u64,
    /// Turns of those.
    pub turns: u64,
    /// Those of them that ran on few limbs of their slices: the ones that a mask has ones in, or all of short ones.
    pub masked_iterations: u64,
    /// Those of them that narrowed a slice by several columns at once.
    pub narrowing_iterations: u64,
    /// Tile kernels that were recorded whole.
    pub tile_kernels: u64,
    /// Times that recorded operations were executed together.
    pub tapes_flushed: u64,
    /// Tapes whose plan was known from an earlier one that does the same.
    pub plans_known: u64,
    /// Long slices and words that were made in memory of others that were gone.
    pub slices_recycled: u64,
    /// Long slices and words that a routine left in its registers for the next call, with a summary.
    pub slices_kept: u64,
    /// Operations that were recorded and then executed together.
    pub ops_recorded: u64,
    /// Operations with two results in these tapes: searches that go from column to column with a mask.
    pub cascades: u64,
    /// Value arguments that moved into the callee and back instead of being copied.
    pub lent_arguments: u64,
    /// Loops that ran as kernels over a grid of workgroups.
    pub grid_loops: u64,
    /// Runs of operations on slices that were one kernel over a grid of workgroups.
    pub grid_runs: u64,
    /// Dispatches of kernels over a grid of workgroups, intrinsics among them.
    pub grid_kernels: u64,
    /// Buffers that these had their memory in, if it was more than one.
    pub grid_banks: u64,
    /// Times that columns of a table went to another one by a copy of the device.
    pub grid_copies: u64,
    /// Dispatches of the control unit: a run waits for each of them.
    pub unit_dispatches: u64,
    /// Times that the host waited for words of the device, these dispatches among them.
    pub device_reads: u64,
    /// Bytes that went to the device while the program ran, and that came back: values, state, code of the control unit.
    pub bytes_to_device: u64,
    /// See [`bytes_to_device`](Self::bytes_to_device).
    pub bytes_from_device: u64,
    /// Loops over lines that were one instruction of it.
    pub unit_lines: u64,
    /// Lines, and instructions over lines, that a kernel over a grid made for it.
    pub wide_lines: u64,
    /// Dispatches of that kernel: lines that do not wait for each other are made by one.
    pub wide_kernels: u64,
    /// Nanoseconds that the device took for kernels over a grid, if it can tell.
    pub grid_nanoseconds: u64,
    /// Likewise for the control unit.
    pub unit_nanoseconds: u64,
    /// Shared tables that were copied since one of their owners wrote.
    pub table_copies: u64,
    /// Tables that a loop kernel gave zeros outside of a mask, of which most were known to be zero.
    pub zeros_known: u64,
    /// Tables of zeros in the memory of one that was gone.
    pub tables_recycled: u64,
    /// Fields that were views of the columns of a table instead of copies.
    pub field_views: u64,
    /// Times that the home form of a table changed since there was no memory for a second one.
    pub homes_changed: u64,
    /// Times that a machine of the tests changed the form of a table by chance.
    pub forms_changed: u64,
    /// Rows and columns of sparse tables that were read or written.
    pub sparse_lines: u64,
    /// Sparse tables that became dense, since they were full or something needs all of them.
    pub tables_made_dense: u64,
    /// Operations on slices and words that went block by block.
    pub block_operations: u64,
    /// Kernels over the ones of a slice whose limbs had been listed before.
    pub slices_listed: u64,
    /// MIN and MAX that looked at blocks of rows alone that have changed since the last one.
    pub extremes_kept: u64,
    /// Of these, those of which only the first row was asked for.
    pub extremes_first: u64,
    /// Searches for a word, column by column, that looked at those limbs alone that an index of the rows names.
    pub searches_indexed: u64,
    /// Loops and tile kernels that ran as they are written, by reason; see [`Counters::declined`].
    declined: [u64; Declined::ALL.len()],
}

/// Why a `forall` or tile kernel ran as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Declined {
    /// Its body holds something that the fast path does not know.
    Body,
    /// Steps are limited, so that each is counted by itself.
    StepLimit,
    /// There is no iteration, or no row.
    Empty,
    /// An iteration lies beyond the table.
    Range,
    /// A guard of the body would fail, or an operand is unset or of another size.
    Guard,
    /// A table does not lie by the lines that are needed, and turning it does not pay.
    Form,
    /// There is no room for what it needs beside the values.
    Memory,
}

impl Declined {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Declined; 7] = [
        Declined::Body,
        Declined::StepLimit,
        Declined::Empty,
        Declined::Range,
        Declined::Guard,
        Declined::Form,
        Declined::Memory,
    ];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Declined::Body => "body",
            Declined::StepLimit => "step limit",
            Declined::Empty => "empty",
            Declined::Range => "range",
            Declined::Guard => "guard",
            Declined::Form => "form",
            Declined::Memory => "memory",
        }
    }
}

impl Counters {
    /// Seconds that the device took, control unit and kernels together; nothing where there is none, or none with a clock.
    pub fn device_seconds(&self) -> Option<f64> {
        let nanoseconds = self.grid_nanoseconds + self.unit_nanoseconds;
        (nanoseconds > 0).then_some(nanoseconds as f64 / 1e9)
    }

    /// How many loops and kernels were declined for this reason.
    pub fn declined(&self, reason: Declined) -> u64 {
        self.declined[reason as usize]
    }

    /// Counts one that was declined.
    pub fn decline(&mut self, reason: Declined) {
        self.declined[reason as usize] += 1;
    }

    /// Every count that is not zero, with its name.
    pub fn entries(&self) -> impl Iterator<Item = (String, u64)> {
        let Counters {
            line_kernels,
            lines,
            loop_kernels,
            turns,
            masked_iterations,
            narrowing_iterations,
            tile_kernels,
            tapes_flushed,
            plans_known,
            slices_recycled,
            slices_kept,
            ops_recorded,
            cascades,
            lent_arguments,
            grid_loops,
            grid_runs,
            grid_kernels,
            grid_banks,
            grid_copies,
            unit_dispatches,
            device_reads,
            bytes_to_device,
            bytes_from_device,
            unit_lines,
            wide_lines,
            wide_kernels,
            grid_nanoseconds,
            unit_nanoseconds,
            table_copies,
            zeros_known,
            tables_recycled,
            field_views,
            homes_changed,
            forms_changed,
            sparse_lines,
            tables_made_dense,
            block_operations,
            slices_listed,
            extremes_kept,
            extremes_first,
            searches_indexed,
            declined,
        } = *self;
        let taken = [
            ("line kernels", line_kernels),
            ("lines", lines),
            ("loop kernels", loop_kernels),
            ("turns", turns),
            ("turns on few limbs", masked_iterations),
            ("turns that narrow a slice", narrowing_iterations),
            ("tile kernels", tile_kernels),
            ("tapes flushed", tapes_flushed),
            ("plans known", plans_known),
            ("slices in memory of others", slices_recycled),
            ("slices left for the next call", slices_kept),
            ("operations recorded", ops_recorded),
            ("cascades", cascades),
            ("arguments lent", lent_arguments),
            ("loops over a grid", grid_loops),
            ("runs of operations over a grid", grid_runs),
            ("kernels over a grid", grid_kernels),
            ("buffers of their memory", grid_banks),
            ("copies by the device", grid_copies),
            ("dispatches of the control unit", unit_dispatches),
            ("reads from the device", device_reads),
            ("bytes to the device", bytes_to_device),
            ("bytes from the device", bytes_from_device),
            ("loops over lines that were an instruction", unit_lines),
            ("wide lines", wide_lines),
            ("kernels that made these", wide_kernels),
            ("nanoseconds of kernels over a grid", grid_nanoseconds),
            ("nanoseconds of the control unit", unit_nanoseconds),
            ("tables copied", table_copies),
            ("tables known to be zero outside of a mask", zeros_known),
            ("tables of zeros in memory of others", tables_recycled),
            ("fields that were views", field_views),
            ("home forms changed", homes_changed),
            ("forms changed by chance", forms_changed),
            ("lines of sparse tables", sparse_lines),
            ("sparse tables made dense", tables_made_dense),
            ("operations by blocks", block_operations),
            ("kernels over limbs that were listed", slices_listed),
            ("extremes of blocks that were kept", extremes_kept),
            ("extremes of which only the first row was asked for", extremes_first),
            ("searches that asked an index of rows", searches_indexed),
        ];
        let declined = Declined::ALL.into_iter().zip(declined);
        let declined = declined.map(|(reason, n)| (format!("declined: {}", reason.name()), n));
        let taken = taken.into_iter().map(|(name, n)| (name.to_owned(), n));
        taken.chain(declined).filter(|(_, n)| *n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_the_numbers_of_their_order() {
        for (idx, reason) in Declined::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, idx);
        }
        let mut paths = Counters { lines: 3, ..Counters::default() };
        paths.decline(Declined::Range);
        assert_eq!(paths.declined(Declined::Range), 1);
        let entries: Vec<(String, u64)> = paths.entries().collect();
        assert_eq!(entries, [("lines".to_owned(), 3), ("declined: range".to_owned(), 1)]);
    }
}
