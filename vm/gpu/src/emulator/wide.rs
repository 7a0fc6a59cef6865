//! The kernel of wide lines (Note \[Wide lines\] in `run/wide.rs`), all threads of a grid.

use star_shaders::layout::{QUEUE_LINES, state, status, wide};
use star_shaders::{Op, Reduce};

use super::limbs::{Line, Source};
use super::lines::Over;
use super::{Dispatch, Emulator, Fields, Words};
use crate::device_trait::State;

impl Emulator {
    /// Computes all waiting lines, each thread one line after another.
    pub(super) fn make_wide(&mut self, state: &mut State) {
        if state[state::STATUS as usize] != status::WIDE {
            return;
        }
        self.barrier();
        let groups = self.settings.wide.groups;
        let threads = self.settings.threads * groups;
        let n_lines = state[state::QUEUED as usize] as usize;
        let queue = state[state::QUEUE as usize..].chunks(wide::WORDS as usize).take(n_lines);
        let queue: Vec<Vec<u32>> = queue.map(<[u32]>::to_vec).collect();
        let (mut nearest, mut count) = (u32::MAX, 0);
        for me in self.order(threads) {
            for words in &queue {
                match Op::of_number(words[wide::KIND as usize] & 0xff) {
                    Some(Op::RowPut) => self.put_row(me, threads, words),
                    Some(Op::Lines) => {
                        let most = state[state::MOST_JOINED as usize];
                        count += self.lines_of_grid(Over::of_words(words), (me, threads), most);
                    }
                    _ => {
                        let source = Source::of_words(words);
                        let found = self.make_limbs(me, source, (me, threads));
                        if source.reduce() != Reduce::Nothing {
                            (nearest, count) = (nearest.min(found.0), count + u64::from(found.1));
                        }
                    }
                }
            }
        }
        let mut put = |place: u32, word: u32| state[place as usize] = word;
        put(state::NEAREST, nearest);
        put(state::COUNT, count as u32);
        put(state::COUNT + 1, (count >> 32) as u32);
        put(state::GROUPS, groups);
    }

    /// Queues a line that is long, or that comes after queued ones, or ends the dispatch. Returns
    /// whether it does neither.
    pub(super) fn is_made_here(
        &mut self,
        run: &mut Dispatch,
        size: u32,
        (words, asks): (Words, bool),
    ) -> bool {
        if run.wide.limbs == 0 {
            return true;
        }
        if size > run.wide.limbs {
            run.queue.push(words);
            run.budget -= i64::from(size / run.wide.rate);
            if asks {
                (run.asks, run.status) = (true, status::WIDE);
                run.pc -= 1;
            } else if run.queue.len() as u32 == QUEUE_LINES {
                run.status = status::WIDE;
            }
            return false;
        }
        if !run.queue.is_empty() {
            run.status = status::WIDE;
            run.pc -= 1;
            return false;
        }
        true
    }

    /// Returns whether the instruction must wait for queued lines.
    pub(super) fn ends_queue(&mut self, run: &mut Dispatch, inst: Fields) -> bool {
        let may_wait = matches!(
            inst.op,
            Op::Line
                | Op::RowPut
                | Op::Div
                | Op::Mod
                | Op::Size
                | Op::Shape
                | Op::ShapeLike
                | Op::Columns
                | Op::Fill
                | Op::Fetch
                | Op::Tally
                | Op::Charge
                | Op::Open
                | Op::Close
        );
        let ends = !run.queue.is_empty() && (!may_wait || inst.is_sync());
        if ends {
            run.status = status::WIDE;
            run.pc -= 1;
        }
        ends
    }

    /// Sets a row of a table to the components of a word; each thread sets every `threads`th
    /// column.
    pub(super) fn put_row(&mut self, me: u32, threads: u32, words: &[u32]) {
        let has = |place: u32| words[place as usize];
        let row = has(wide::LAST) - 1;
        let word = Line { at: has(wide::AT_Y), bits: has(wide::BITS_Y) };
        for j in (me..has(wide::N)).step_by(threads as usize) {
            let at = has(wide::AT_X) + j * has(wide::STRIDE_X) + row / 32;
            let one = self.load(me, word.at + j / 32) >> (j % 32) & 1;
            let before = self.load(me, at);
            let limb = before & !(1 << (row % 32)) | one << (row % 32);
            if limb != before {
                self.keep(me, at, limb);
            }
        }
    }
}
