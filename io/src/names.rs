//! Names of vertices: the numbers or texts by which a file refers to them.

use std::borrow::Cow;
use std::fmt;

use crate::meaning::{Meaning, Texts};

/// The names of the vertices of a graph, in the order of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VertexNames {
    /// Distinct numbers.
    Numbers(Vec<u64>),
    /// Distinct texts; the code of a text is its row, counted from 1.
    Texts(Texts),
}

impl VertexNames {
    /// The name of a vertex, from 0.
    pub fn get(&self, vertex: usize) -> Option<Cow<'_, str>> {
        match self {
            VertexNames::Numbers(numbers) => Some(numbers.get(vertex)?.to_string().into()),
            VertexNames::Texts(texts) => Some(texts.as_slice().get(vertex)?.as_str().into()),
        }
    }

    /// The vertex with this name, from 0.
    pub fn find(&self, name: &str) -> Option<usize> {
        match self {
            VertexNames::Numbers(numbers) => {
                let number: u64 = name.parse().ok()?;
                match numbers.is_sorted() {
                    true => numbers.binary_search(&number).ok(),
                    false => numbers.iter().position(|&other| other == number),
                }
            }
            VertexNames::Texts(texts) => {
                usize::try_from(texts.code(name).filter(|&code| code > 0)?).ok()?.checked_sub(1)
            }
        }
    }

    /// Their memory in bytes.
    pub fn n_bytes(&self) -> u64 {
        match self {
            VertexNames::Numbers(numbers) => 8 * numbers.len() as u64,
            VertexNames::Texts(texts) => {
                let bytes = texts.as_slice().iter().map(|text| Meaning::bytes_of_text(text));
                bytes.fold(0, u64::saturating_add)
            }
        }
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        match self {
            VertexNames::Numbers(numbers) => numbers.len(),
            VertexNames::Texts(texts) => texts.as_slice().len(),
        }
    }

    /// Returns whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of a file that declares its vertices by these texts: `None` if they are 1..n,
    /// numbers if all of them are written like numbers.
    pub(crate) fn of_texts(texts: Texts) -> Option<VertexNames> {
        match texts.all().map(plain_number).collect::<Option<Vec<u64>>>() {
            Some(numbers) if (1..).zip(&numbers).all(|(row, &number)| row == number) => None,
            Some(numbers) => Some(VertexNames::Numbers(numbers)),
            None => Some(VertexNames::Texts(texts)),
        }
    }
}

/// Returns the number that a text is the only notation of: digits without a leading zero.
pub(crate) fn plain_number(text: &str) -> Option<u64> {
    let is_plain = !text.starts_with('0') || text == "0";
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain && is_digits)
}

/// The name of one vertex: that of the file, or its row from 1.
pub struct VertexName<'a> {
    pub(crate) names: Option<&'a VertexNames>,
    pub(crate) vertex: usize,
}

impl fmt::Display for VertexName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.names {
            Some(VertexNames::Texts(texts)) if self.vertex < texts.as_slice().len() => {
                f.write_str(&texts.as_slice()[self.vertex])
            }
            Some(VertexNames::Numbers(numbers)) if self.vertex < numbers.len() => {
                numbers[self.vertex].fmt(f)
            }
            Some(VertexNames::Texts(_) | VertexNames::Numbers(_)) | None => {
                (self.vertex as u64 + 1).fmt(f)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> Texts {
        let mut texts = Texts::default();
        names.iter().for_each(|name| _ = texts.add(name));
        texts
    }

    #[test]
    fn names_like_numbers_are_numbers_in_their_order() {
        assert_eq!(VertexNames::of_texts(texts(&["1", "2", "3"])), None);
        let numbers = VertexNames::of_texts(texts(&["7", "0", "12"])).unwrap();
        assert_eq!(numbers, VertexNames::Numbers(vec![7, 0, 12]));
        assert_eq!((numbers.find("0"), numbers.find("1"), numbers.len()), (Some(1), None, 3));
        for other in [&["01", "2"][..], &["+1", "2"], &["Oslo", "2"], &["18446744073709551616"]] {
            let names = VertexNames::of_texts(texts(other)).unwrap();
            assert!(matches!(names, VertexNames::Texts(_)), "{other:?}");
            assert_eq!(names.find(other[0]), Some(0));
            assert_eq!(names.get(0).as_deref(), Some(other[0]));
            assert_eq!(names.find(""), None);
        }
    }
}
