//! Fields as numbers: bits, most significant first, as an unsigned decimal number of any length.

/// Returns the number in decimal.
pub(super) fn decimal(bits: impl Iterator<Item = bool>) -> String {
    const BASE: u64 = 1_000_000_000;
    // Groups of nine digits, least significant first.
    let mut groups: Vec<u64> = vec![0];
    for bit in bits {
        let mut carry = u64::from(bit);
        for group in &mut groups {
            let doubled = *group * 2 + carry;
            *group = doubled % BASE;
            carry = doubled / BASE;
        }
        if carry > 0 {
            groups.push(carry);
        }
    }
    let mut text = String::new();
    for group in groups.iter().rev() {
        text += &match text.is_empty() {
            true => group.to_string(),
            false => format!("{group:09}"),
        };
    }
    text
}

/// Returns the maximum number of digits of a number with `n_bits` bits.
pub(super) fn digits(n_bits: usize) -> usize {
    decimal(std::iter::repeat_n(true, n_bits)).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: u128, width: usize) -> String {
        decimal((0..width).rev().map(|idx| idx < 128 && number >> idx & 1 == 1))
    }

    #[test]
    fn the_first_bit_is_the_most_significant() {
        assert_eq!(decimal([true, false, true, true].into_iter()), "11");
        assert_eq!(decimal(std::iter::empty()), "0");
    }

    #[test]
    fn numbers_of_any_length_are_exact() {
        for number in [0, 1, 999_999_999, 1_000_000_000, u128::from(u64::MAX), u128::MAX - 5] {
            assert_eq!(of(number, 128), number.to_string());
            assert_eq!(of(number, 200), number.to_string());
        }
        // 2^200 - 1.
        let expected = "1606938044258990275541962092341162602522202993782792835301375";
        assert_eq!(decimal(std::iter::repeat_n(true, 200)), expected);
        assert_eq!((digits(0), digits(3), digits(4), digits(200)), (1, 1, 2, 61));
    }
}
