//! Fast paths that a run used, and reasons why others were declined.
//!
//! Comparisons of results cannot detect a fast path that never runs, so tests read these counters.
//! They count whole loops, kernels, flushes and calls; operations are counted only where they run
//! by blocks or on sparse tables, and so are never short.

/// Fast paths used and declined by a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// `forall` loops whose iterations ran as one kernel over lines of a table.
    pub line_kernels: u64,
    /// Iterations of those.
    pub lines: u64,
    /// `for` loops whose iterations ran as one kernel over columns.
    pub loop_kernels: u64,
    /// Iterations of those.
    pub iterations: u64,
    /// Those of them that ran on few limbs of their slices: the limbs where a mask has ones, or all
    /// limbs of short slices.
    pub masked_iterations: u64,
    /// Those of them that narrowed a slice by several columns at once.
    pub narrowing_iterations: u64,
    /// Number of times that recorded operations were executed together.
    pub tapes_flushed: u64,
    /// Tapes whose plan was reused from an equivalent earlier one.
    pub plans_known: u64,
    /// Long slices and words that were created in recycled memory.
    pub slices_recycled: u64,
    /// Long tables that were written in recycled memory.
    pub tables_recycled: u64,
    /// Long slices and words that a routine left in its registers for the next call, with a
    /// summary.
    pub slices_kept: u64,
    /// Operations that were recorded and then executed together.
    pub ops_recorded: u64,
    /// Counts of ones of pending copies that did not end their tapes.
    pub copies_counted: u64,
    /// Columns whose ones were counted together with those of other columns.
    pub columns_counted: u64,
    /// Operations with two results in these tapes: searches that narrow a mask from column to
    /// column.
    pub cascades: u64,
    /// Searches whose rows are combined with others, which they begin with.
    pub searches_narrowed: u64,
    /// Columns that these tapes and loop kernels add in operations with a carry.
    pub columns_added: u64,
    /// Cache lines of columns that searches did not read, since no row was left there.
    pub lines_unread: u64,
    /// Value arguments that moved into the callee and back instead of being copied.
    pub lent_arguments: u64,
    /// Loops that ran as kernels over a grid of workgroups.
    pub grid_loops: u64,
    /// Sequences of operations on slices that ran as one kernel over a grid of workgroups.
    pub grid_runs: u64,
    /// Dispatches of kernels over a grid of workgroups, including intrinsics.
    pub grid_kernels: u64,
    /// Buffers that held the memory of these, if there was more than one.
    pub grid_banks: u64,
    /// Number of times that the device copied columns of a table to another one.
    pub grid_copies: u64,
    /// Dispatches of the control unit: a run waits for each of them.
    pub unit_dispatches: u64,
    /// Number of times that the host waited for words of the device, including these dispatches.
    pub device_reads: u64,
    /// Bytes transferred to the device while the program ran: values, state, code of the control
    /// unit.
    pub bytes_to_device: u64,
    /// Bytes transferred from the device; see [`bytes_to_device`](Self::bytes_to_device).
    pub bytes_from_device: u64,
    /// Ranges of columns in which tables came from their files before the program ran, without
    /// being whole on the host.
    pub parts_loaded: u64,
    /// Ranges of columns in which results went to their files afterwards; see
    /// [`parts_loaded`](Self::parts_loaded).
    pub parts_stored: u64,
    /// Bytes that this rank read of files of tables and lists, of each of which it read its part
    /// only.
    pub own_bytes_loaded: u64,
    /// Bytes that this rank wrote of files of tables, of each of which it wrote its rows only.
    pub own_bytes_stored: u64,
    /// Loops over lines that ran as one instruction of the control unit.
    pub unit_lines: u64,
    /// Lines, and instructions over lines, that a kernel over a grid computed for it.
    pub wide_lines: u64,
    /// Dispatches of that kernel: one dispatch computes all lines that do not depend on each other.
    pub wide_kernels: u64,
    /// Device time of kernels over a grid in nanoseconds, if the device reports it.
    pub grid_nanoseconds: u64,
    /// Device time of the control unit in nanoseconds, if the device reports it.
    pub unit_nanoseconds: u64,
    /// Shared tables that were copied because one of their owners wrote.
    pub table_copies: u64,
    /// Fields that were views of the columns of a table instead of copies.
    pub field_views: u64,
    /// Number of times that the home form of a table changed because there was no memory for a
    /// second form.
    pub homes_changed: u64,
    /// Number of times that a test machine changed the form of a table at random.
    pub forms_changed: u64,
    /// Rows and columns of sparse tables that were read or written.
    pub sparse_lines: u64,
    /// Sparse tables that became dense, because they were full or an operation needed the whole
    /// table.
    pub tables_made_dense: u64,
    /// Operations on slices and words that ran block by block.
    pub block_operations: u64,
    /// Kernels over the ones of a slice whose non-zero limbs were already listed.
    pub slices_listed: u64,
    /// MIN and MAX operations that read only the blocks of rows changed since the previous one.
    pub extremes_kept: u64,
    /// Those of them that needed only the first row.
    pub extremes_first: u64,
    /// Searches for a word, column by column, that read only the limbs listed in an index of the
    /// rows.
    pub searches_indexed: u64,
    /// Calls of intrinsics that used what an earlier call had built from the same tables.
    pub structures_kept: u64,
    /// Exchanges with other ranks.
    pub exchanges: u64,
    /// Bytes that this rank gave in these.
    pub exchanged_bytes: u64,
    /// Loops that ran as written, by reason; see [`Counters::declined`].
    declined: [u64; Declined::ALL.len()],
}

/// Why a `forall` ran as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Declined {
    /// Its body contains an operation that the fast path does not support.
    Body,
    /// Steps are limited, so each must be counted separately.
    StepLimit,
    /// There are no iterations, or no rows.
    Empty,
    /// An iteration is outside the table.
    Range,
    /// A guard of the body would fail, or an operand is unset or has another size.
    Guard,
    /// A table is not stored by the required lines, and a transpose does not pay.
    Form,
    /// There is not enough memory for its temporary data.
    Memory,
}

impl Declined {
    /// All reasons, in the order of their discriminants.
    pub const ALL: [Declined; 7] = [
        Declined::Body,
        Declined::StepLimit,
        Declined::Empty,
        Declined::Range,
        Declined::Guard,
        Declined::Form,
        Declined::Memory,
    ];

    /// Returns a short name.
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
    /// Returns the device time in seconds, control unit and kernels together; `None` without a
    /// device, or without a clock on it.
    pub fn device_seconds(&self) -> Option<f64> {
        let nanoseconds = self.grid_nanoseconds + self.unit_nanoseconds;
        (nanoseconds > 0).then_some(nanoseconds as f64 / 1e9)
    }

    /// Returns the number of loops and kernels that were declined for this reason.
    pub fn declined(&self, reason: Declined) -> u64 {
        self.declined[reason as usize]
    }

    /// Counts a declined loop or kernel.
    pub fn decline(&mut self, reason: Declined) {
        self.declined[reason as usize] += 1;
    }

    /// Yields every non-zero counter with its name.
    pub fn entries(&self) -> impl Iterator<Item = (String, u64)> {
        let Counters {
            line_kernels,
            lines,
            loop_kernels,
            iterations,
            masked_iterations,
            narrowing_iterations,
            tapes_flushed,
            plans_known,
            slices_recycled,
            tables_recycled,
            slices_kept,
            ops_recorded,
            copies_counted,
            columns_counted,
            cascades,
            searches_narrowed,
            columns_added,
            lines_unread,
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
            parts_loaded,
            parts_stored,
            own_bytes_loaded,
            own_bytes_stored,
            unit_lines,
            wide_lines,
            wide_kernels,
            grid_nanoseconds,
            unit_nanoseconds,
            table_copies,
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
            structures_kept,
            exchanges,
            exchanged_bytes,
            declined,
        } = *self;
        let taken = [
            ("line kernels", line_kernels),
            ("lines", lines),
            ("loop kernels", loop_kernels),
            ("iterations", iterations),
            ("iterations on few limbs", masked_iterations),
            ("iterations that narrow a slice", narrowing_iterations),
            ("tapes flushed", tapes_flushed),
            ("plans reused", plans_known),
            ("slices in recycled memory", slices_recycled),
            ("tables in recycled memory", tables_recycled),
            ("slices kept for the next call", slices_kept),
            ("operations recorded", ops_recorded),
            ("counts of pending copies", copies_counted),
            ("columns counted together", columns_counted),
            ("cascades", cascades),
            ("searches narrowed", searches_narrowed),
            ("columns added", columns_added),
            ("cache lines not read", lines_unread),
            ("arguments lent", lent_arguments),
            ("loops over a grid", grid_loops),
            ("operation sequences over a grid", grid_runs),
            ("kernels over a grid", grid_kernels),
            ("buffers of these kernels", grid_banks),
            ("copies by the device", grid_copies),
            ("dispatches of the control unit", unit_dispatches),
            ("reads from the device", device_reads),
            ("bytes to the device", bytes_to_device),
            ("bytes from the device", bytes_from_device),
            ("parts of tables loaded", parts_loaded),
            ("parts of tables stored", parts_stored),
            ("bytes of own rows loaded", own_bytes_loaded),
            ("bytes of own rows stored", own_bytes_stored),
            ("loops over lines run as one instruction", unit_lines),
            ("wide lines", wide_lines),
            ("kernels for wide lines", wide_kernels),
            ("nanoseconds of kernels over a grid", grid_nanoseconds),
            ("nanoseconds of the control unit", unit_nanoseconds),
            ("tables copied", table_copies),
            ("fields as views", field_views),
            ("home forms changed", homes_changed),
            ("forms changed at random", forms_changed),
            ("lines of sparse tables", sparse_lines),
            ("sparse tables made dense", tables_made_dense),
            ("block operations", block_operations),
            ("kernels over listed limbs", slices_listed),
            ("extremes from cached blocks", extremes_kept),
            ("extremes that needed only the first row", extremes_first),
            ("searches through a row index", searches_indexed),
            ("structures of intrinsics reused", structures_kept),
            ("exchanges with other ranks", exchanges),
            ("bytes given to other ranks", exchanged_bytes),
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
    fn reasons_are_numbered_in_order() {
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
