//! The widths of weights and codes: chosen so that no sum reaches infinity, and refused if the user
//! gives too small ones. The layouts of star-io define the sums.

use star_base::Code;
use star_io::{FileError, Graph, Layout, Weights, Widths};

/// Returns the default width of weights for these layouts of a graph: at least that of the lengths
/// of paths, unless negative weights are only listed.
///
/// # Errors
/// If a weight is negative and the layouts have no negative weights, or the width is too large.
pub fn chosen_h(graph: &Graph, layouts: &[Layout], file: &str) -> Result<usize, FileError> {
    let has = |weights| layouts.iter().any(|layout| layout.weights() == weights);
    let (listed, added) = (has(Weights::Listed), has(Weights::Added));
    let signed = has(Weights::Signed) && !added && !listed;
    let offset = listed && !added && graph.weight_offset() < 0;
    let of_paths = match signed || offset {
        true => 0,
        false => graph.path_width().map_err(|error| error.in_file(file))?,
    };
    Ok(of_paths.max(needed_h(graph, layouts, file)?))
}

/// Returns the default width of codes for these layouts of a graph, at least that of the codes of
/// the vertices.
///
/// # Errors
/// Those of [`chosen_h`].
pub fn chosen_b(graph: &Graph, layouts: &[Layout], file: &str) -> Result<usize, FileError> {
    let mut b = graph.code_width();
    for layout in layouts {
        b = b.max(least_widths(graph, *layout, file)?.b);
    }
    Ok(b)
}

/// Refuses a width of weights in which sums of the weights of these layouts reach infinity.
///
/// # Errors
/// E0508 with the required width.
pub fn check_h(graph: &Graph, layouts: &[Layout], h: usize, file: &str) -> Result<(), FileError> {
    let needed = needed_h(graph, layouts, file)?;
    // A weight that is too large for a list is reported by the layout, which can name it.
    if h >= needed || !are_added(layouts) {
        return Ok(());
    }
    let message = format!("sums of weights may reach infinity with `h = {h}`");
    Err(FileError::new(Code::WidthTooSmall, file, message)
        .note("infinity is all ones, and every path length must be smaller")
        .help(format!("use `h = {needed}` or more")))
}

/// Returns the smallest width in which no sum of the weights of these layouts reaches infinity,
/// according to the procedures that use them.
fn needed_h(graph: &Graph, layouts: &[Layout], file: &str) -> Result<usize, FileError> {
    let mut needed = 0;
    for layout in layouts {
        needed = needed.max(least_widths(graph, *layout, file)?.h);
    }
    if are_added_in_lists(layouts) {
        needed = needed.max(graph.sum_width().map_err(|error| error.in_file(file))?);
    }
    Ok(needed)
}

/// Returns whether the users of these layouts add weights.
fn are_added(layouts: &[Layout]) -> bool {
    let on_paths = |layout: &Layout| match layout.weights() {
        Weights::Added | Weights::Signed => true,
        Weights::None | Weights::Listed => false,
    };
    layouts.iter().any(on_paths) || are_added_in_lists(layouts)
}

/// With codes for contracted cycles, weights in lists are also added: two at a time.
fn are_added_in_lists(layouts: &[Layout]) -> bool {
    let has_list = layouts.iter().any(|layout| layout.weights() == Weights::Listed);
    has_list && layouts.contains(&Layout::CodeDouble)
}

/// Returns the smallest widths of one layout, with the file in the error.
///
/// # Errors
/// Those of [`chosen_h`].
pub fn least_widths(graph: &Graph, layout: Layout, file: &str) -> Result<Widths, FileError> {
    layout.least_widths(graph).map_err(|error| error.in_file(file))
}

/// Returns whether the layout contains weights (of width h) and codes (of width b).
pub fn uses(layout: Layout) -> (bool, bool) {
    (layout.weights() != Weights::None, layout.codes() > 0)
}
