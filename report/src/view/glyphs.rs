//! Digits for pixel pictures: five dots wide and seven high, as rows of dots.

/// The width of a digit in dots, without the gap after it.
pub(super) const WIDTH: usize = 5;
/// Its height.
pub(super) const HEIGHT: usize = 7;

/// Returns the dots of a digit or a minus sign; `None` for other characters.
pub(super) fn dots(character: char) -> Option<[&'static str; HEIGHT]> {
    Some(match character {
        '0' => [" ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "],
        '1' => ["  #  ", " ##  ", "# #  ", "  #  ", "  #  ", "  #  ", "#####"],
        '2' => [" ### ", "#   #", "    #", "  ## ", " #   ", "#    ", "#####"],
        '3' => ["#### ", "    #", "    #", " ### ", "    #", "    #", "#### "],
        '4' => ["#  # ", "#  # ", "#  # ", "#####", "   # ", "   # ", "   # "],
        '5' => ["#####", "#    ", "#    ", "#### ", "    #", "    #", "#### "],
        '6' => [" ### ", "#    ", "#    ", "#### ", "#   #", "#   #", " ### "],
        '7' => ["#####", "    #", "    #", "   # ", "  #  ", "  #  ", "  #  "],
        '8' => [" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "],
        '9' => [" ### ", "#   #", "#   #", " ####", "    #", "    #", " ### "],
        '-' => ["     ", "     ", "     ", "#####", "     ", "     ", "     "],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_have_one_size_and_are_distinct() {
        let known: Vec<_> = "0123456789-".chars().map(|c| dots(c).unwrap()).collect();
        assert!(known.iter().flatten().all(|row| row.len() == WIDTH));
        for (idx, one) in known.iter().enumerate() {
            assert!(!known[..idx].contains(one), "{idx}");
        }
        assert_eq!(dots('x'), None);
    }
}
