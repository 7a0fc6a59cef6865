//! Published spellings: which names mean a built-in or a routine of the library, and would still mean it
//! if they were spelled as published.
//!
//! The rules are those of `scope.rs`. What a program declares keeps its spelling, and so does every name
//! that might be declared in a file that cannot be read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use star_base::Builtin;
use star_syntax::ast::{File, Item};
use star_syntax::token::Token;

use super::tokens::Tok;

/// The names that a file declares.
#[derive(Default)]
pub(super) struct Declared {
    /// By their names in lower case: exact name, and number of parameters.
    routines: BTreeMap<String, Vec<(String, usize)>>,
    constants: BTreeSet<String>,
}

/// The files whose names a file sees beside its own, the nearest first.
pub(super) struct Outside<'a> {
    pub(super) files: Vec<(&'a Declared, Origin)>,
    /// Could all of them be read?
    pub(super) complete: bool,
}

/// Where a file comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    User,
    Library,
}

impl Declared {
    pub(super) fn of(tree: &File) -> Self {
        let mut declared = Declared::default();
        for item in &tree.items {
            match item {
                Item::Import { .. } => {}
                Item::Const { name, value: _ } => {
                    declared.constants.insert(name.name.to_string());
                }
                Item::Routine(routine) => {
                    let n_params = routine.params.iter().map(|group| group.names.len()).sum();
                    let name = routine.name.name.to_string();
                    let alike = declared.routines.entry(name.to_lowercase()).or_default();
                    // Of two with one name, which is an error, the first one counts.
                    if alike.iter().all(|(other, _)| *other != name) {
                        alike.push((name, n_params));
                    }
                }
            }
        }
        declared
    }

    /// The routines of this name in any letter case with so many parameters.
    fn alike(&self, name: &str, n_args: usize) -> impl Iterator<Item = &str> {
        let alike = self.routines.get(&name.to_lowercase()).into_iter().flatten();
        alike.filter(move |(_, n_params)| *n_params == n_args).map(|(name, _)| name.as_str())
    }

    fn has(&self, name: &str, n_args: usize) -> bool {
        self.alike(name, n_args).any(|known| known == name)
            || n_args == 0 && self.constants.contains(name)
    }
}

/// A mention of a variable, a part of one, a constant or a routine.
#[derive(Clone, Copy)]
pub(super) struct Mention {
    /// Its first token and its last one: a name with hyphens is several.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Arguments in parentheses behind it; `None` without parentheses.
    pub(super) n_args: Option<usize>,
    /// Is it the left side of an assignment?
    pub(super) is_target: bool,
}

/// A token that is to be spelled otherwise than it stands in the text: the byte at which it stands, and how.
pub(super) type Change = (usize, Cow<'static, str>);

/// Finds out what is to be spelled otherwise than it stands in the text: names, and signs of assignments.
pub(super) struct Speller<'s, 'a, 'f> {
    own: &'f Declared,
    /// Asked for only if a name needs it.
    outside: &'f mut dyn FnMut() -> Outside<'a>,
    seen: Option<Outside<'a>>,
    /// How names with so many arguments are spelled that no routine declares for itself.
    known: HashMap<(Cow<'s, str>, usize), Option<Cow<'static, str>>>,
    /// What the routine declares.
    locals: BTreeSet<&'s str>,
    /// In the order of the text, up to the part at hand.
    changes: Vec<Change>,
    /// How many of them were made.
    n_made: usize,
}

impl<'s, 'a, 'f> Speller<'s, 'a, 'f> {
    pub(super) fn new(own: &'f Declared, outside: &'f mut dyn FnMut() -> Outside<'a>) -> Self {
        let (seen, known, locals, changes) = Default::default();
        Speller { own, outside, seen, known, locals, changes, n_made: 0 }
    }

    /// An item begins.
    pub(super) fn item(&mut self) {
        self.locals.clear();
    }

    /// The routine declares this name.
    pub(super) fn declare(&mut self, name: &'s str) {
        self.locals.insert(name);
    }

    /// The token is a sign of an assignment.
    pub(super) fn assignment(&mut self, tok: &Tok<'s>) {
        if tok.token == Token::Equals {
            self.changes.push((tok.at, Cow::Borrowed(":=")));
        }
    }

    /// Spells a name of the item at hand, all of whose declarations were seen.
    pub(super) fn mention(&mut self, toks: &[Tok<'s>], mention: Mention) {
        let Mention { first, last, n_args, is_target } = mention;
        let toks = &toks[first..=last];
        let name = match toks {
            [one] => Cow::Borrowed(one.source),
            _ => toks.iter().map(|tok| tok.source).collect(),
        };
        if self.locals.contains(&*name) {
            return;
        }
        let spelled = if is_target {
            // Routines do not count, and of built-ins COL and ROW.
            Builtin::find(&name).and_then(|builtin| match builtin {
                line @ (Builtin::Col | Builtin::Row) => Some(Cow::Borrowed(line.name())),
                _ => None,
            })
        } else {
            self.known_spelling(name.clone(), n_args.unwrap_or(0))
        };
        // Nor may the routine declare it so spelled.
        let Some(spelled) = spelled else { return };
        if spelled == name || self.locals.contains(&*spelled) {
            return;
        }
        if !spelled.contains('-') {
            self.changes.push((toks[0].at, spelled));
            return;
        }
        let names = toks.iter().filter(|tok| tok.token == Token::Name);
        for (tok, part) in names.zip(spelled.split('-')) {
            self.changes.push((tok.at, Cow::Owned(part.to_owned())));
        }
    }

    /// Spells the tokens of the part at hand.
    pub(super) fn spell(&mut self, toks: &mut [Tok<'s>]) {
        let changes = &mut self.changes[self.n_made..];
        changes.sort_by_key(|&(at, _)| at);
        let mut next = changes.iter().peekable();
        for tok in toks {
            if let Some((_, spelled)) = next.next_if(|(at, _)| *at == tok.at) {
                tok.text = spelled.clone();
            }
        }
        self.n_made = self.changes.len();
    }

    /// All changes, in the order of the text.
    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }

    fn known_spelling(&mut self, name: Cow<'s, str>, n_args: usize) -> Option<Cow<'static, str>> {
        let key = (name, n_args);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.spelling(&key.0, n_args);
        self.known.insert(key, found.clone());
        found
    }

    /// How a name that no local has is to be spelled; `None` if as it stands.
    fn spelling(&mut self, name: &str, n_args: usize) -> Option<Cow<'static, str>> {
        let builtin = Builtin::find(name).filter(|builtin| {
            let (least, most) = builtin.arity();
            (least..=most).contains(&n_args)
        });
        let exact = builtin.is_some_and(|builtin| builtin.name() == name);
        if exact || self.own.has(name, n_args) {
            return None;
        }
        let outside = self.seen.get_or_insert_with(&mut *self.outside);
        let files =
            || std::iter::once((self.own, Origin::User)).chain(outside.files.iter().copied());
        let declared = |name: &str| files().any(|(file, _)| file.has(name, n_args));
        if !outside.complete || declared(name) {
            return None;
        }
        if let Some(builtin) = builtin {
            return (!declared(builtin.name())).then_some(Cow::Borrowed(builtin.name()));
        }
        let mut alike = files()
            .flat_map(|(file, origin)| file.alike(name, n_args).map(move |one| (one, origin)));
        let (first, origin) = alike.next()?;
        let agreed = origin == Origin::Library && alike.all(|(other, _)| other == first);
        agreed.then(|| Cow::Owned(first.to_owned()))
    }
}
