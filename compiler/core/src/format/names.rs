//! Published spellings: which names denote a built-in or library routine, and would still do so in
//! their published spelling.
//!
//! The rules are those of `scope.rs`. Names declared by the program keep their spelling, and so
//! does every name that might be declared in a file that cannot be read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use star_base::Builtin;
use star_syntax::ast::{File, Item};
use star_syntax::token::Token;

use super::tokens::Tok;

/// The names declared in a file.
#[derive(Default)]
pub(super) struct Declared {
    /// By their names in lower case: exact name, and number of parameters.
    routines: BTreeMap<String, Vec<(String, usize)>>,
    constants: BTreeSet<String>,
}

/// The files whose names are visible in a file besides its own, the nearest first.
pub(super) struct Outside<'a> {
    pub(super) files: Vec<(&'a Declared, Origin)>,
    /// Could all of them be read?
    pub(super) complete: bool,
}

/// The origin of a file.
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
                Item::Import { .. } | Item::Type(_) => {}
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

    /// Returns the routines of this name, in any letter case, with `n_args` parameters.
    fn alike(&self, name: &str, n_args: usize) -> impl Iterator<Item = &str> {
        let alike = self.routines.get(&name.to_lowercase()).into_iter().flatten();
        alike.filter(move |(_, n_params)| *n_params == n_args).map(|(name, _)| name.as_str())
    }

    fn has(&self, name: &str, n_args: usize) -> bool {
        self.alike(name, n_args).any(|known| known == name)
            || n_args == 0 && self.constants.contains(name)
    }
}

/// A mention of a variable, part of a variable, constant or routine.
#[derive(Clone, Copy)]
pub(super) struct Mention {
    /// Its first and last token: a name with hyphens has several.
    pub(super) first: usize,
    pub(super) last: usize,
    /// The number of arguments in parentheses after it; `None` without parentheses.
    pub(super) n_args: Option<usize>,
    /// Is it the left-hand side of an assignment?
    pub(super) is_target: bool,
}

/// A token with another spelling: the byte at which it begins, and the new spelling.
pub(super) type Change = (usize, Cow<'static, str>);

/// Determines the tokens whose spelling changes: names and assignment signs.
pub(super) struct Speller<'s, 'a, 'f> {
    own: &'f Declared,
    /// Called only if a name needs it.
    outside: &'f mut dyn FnMut() -> Outside<'a>,
    seen: Option<Outside<'a>>,
    /// The spelling of names with the given number of arguments that are not declared in a routine.
    known: HashMap<(Cow<'s, str>, usize), Option<Cow<'static, str>>>,
    /// The names declared by the routine.
    locals: BTreeSet<&'s str>,
    /// In text order, up to the current part.
    changes: Vec<Change>,
    /// The number of changes already applied.
    n_made: usize,
}

impl<'s, 'a, 'f> Speller<'s, 'a, 'f> {
    pub(super) fn new(own: &'f Declared, outside: &'f mut dyn FnMut() -> Outside<'a>) -> Self {
        let (seen, known, locals, changes) = Default::default();
        Speller { own, outside, seen, known, locals, changes, n_made: 0 }
    }

    /// Begins an item.
    pub(super) fn item(&mut self) {
        self.locals.clear();
    }

    /// Records a name declared by the routine.
    pub(super) fn declare(&mut self, name: &'s str) {
        self.locals.insert(name);
    }

    /// Records an assignment sign.
    pub(super) fn assignment(&mut self, tok: &Tok<'s>) {
        if tok.token == Token::Equals {
            self.changes.push((tok.at, Cow::Borrowed(":=")));
        }
    }

    /// Spells a name of the current item, whose declarations have all been seen.
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
            // Routines do not count, nor do built-ins other than COL and ROW.
            Builtin::find(&name).and_then(|builtin| match builtin {
                line @ (Builtin::Col | Builtin::Row) => Some(Cow::Borrowed(line.name())),
                _ => None,
            })
        } else {
            self.known_spelling(name.clone(), n_args.unwrap_or(0))
        };
        // The routine must not declare the new spelling either.
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

    /// Spells the tokens of the current part.
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

    /// Returns all changes, in text order.
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

    /// Returns the spelling of a name that is not local; `None` if it is unchanged.
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
