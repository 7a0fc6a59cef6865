//! Construction of the formatter's tree from tokens.
//!
//! The text is known to have no errors, so nothing is reported: an unexpected token gives `None`.

use std::collections::BTreeMap;

use star_syntax::token::Token;

use super::names::{Mention, Speller};
use super::tokens::{Tok, Tokens};
use super::tree::{
    Arm, Body, Branch, Break, Broken, Item, ItemKind, Node, NodeKind, Seq, Span, Tree, WhereArm,
};

/// Maximum number of statements of a block on one line.
const MOST_ON_A_LINE: usize = 4;

/// Reads the tokens of a part of a file, and reports its names to `speller`.
pub(super) fn read<'s>(tokens: &Tokens<'s>, speller: &mut Speller<'s, '_, '_>) -> Option<Tree> {
    let toks = &tokens.toks[..];
    let (breaks, spans) = (vec![None; toks.len()], BTreeMap::new());
    let (at, depth, mentions, in_header) = Default::default();
    let mut reader = Reader { toks, at, depth, breaks, spans, speller, mentions, in_header };
    let mut items = Vec::new();
    if tokens.goes_on {
        let kind = reader.rest()?;
        items.push(reader.ended(0, kind));
    }
    while reader.at < toks.len() {
        let first = reader.at;
        reader.speller.item();
        let kind = reader.item()?;
        items.push(reader.ended(first, kind));
    }
    Some(Tree { items, breaks: reader.breaks, spans: reader.spans })
}

struct Reader<'t, 's, 'n, 'a, 'f> {
    toks: &'t [Tok<'s>],
    at: usize,
    /// The number of open parentheses.
    depth: usize,
    breaks: Vec<Option<Break>>,
    spans: BTreeMap<Broken, Span>,
    speller: &'n mut Speller<'s, 'a, 'f>,
    /// Names of the current item that have not been spelled yet.
    mentions: Vec<Mention>,
    /// Whether the parameters of a routine are being read.
    in_header: bool,
}

/// The levels of an expression within parentheses.
const LEVELS: usize = 4;

impl<'s> Reader<'_, 's, '_, '_, '_> {
    fn peek(&self) -> Option<Token> {
        self.toks.get(self.at).map(|tok| tok.token)
    }

    fn take(&mut self, wanted: impl Fn(&Token) -> bool) -> Option<usize> {
        let found = self.peek().is_some_and(|token| wanted(&token));
        found.then(|| {
            self.at += 1;
            self.at - 1
        })
    }

    fn semicolon(&mut self) -> Option<usize> {
        self.take(|token| matches!(token, Token::Semicolon))
    }

    fn name(&mut self) -> Option<usize> {
        self.take(|token| matches!(token, Token::Name))
    }

    fn may_break(&mut self, first: usize, level: usize) {
        let level = LEVELS * self.depth + level;
        self.breaks[self.at] = Some(Break { first, level });
        self.spans.entry((first, level)).or_insert(Span { place: self.at, last: self.at });
    }

    /// Ends the construct that begins with `first`.
    fn ends(&mut self, first: usize, level: usize) {
        if let Some(span) = self.spans.get_mut(&(first, LEVELS * self.depth + level)) {
            span.last = self.at - 1;
        }
    }

    // ---- names ----

    /// Reads the name of a declared parameter or local variable.
    fn declared(&mut self) -> Option<()> {
        let name = self.name()?;
        self.speller.declare(self.toks[name].source);
        Some(())
    }

    fn mention(&mut self, mention: Mention) {
        // A name in a size of a header is a parameter, a constant, or declared by its use.
        if self.in_header && mention.n_args.is_none() {
            self.speller.declare(self.toks[mention.first].source);
        }
        self.mentions.push(mention);
    }

    /// Reads an assignment sign, which is `=` in published texts.
    fn sign(&mut self) -> Option<()> {
        let sign = self.take(|token| matches!(token, Token::Assign | Token::Equals))?;
        self.speller.assignment(&self.toks[sign]);
        Some(())
    }

    // ---- items ----

    /// Ends an item, or the part of it that is here.
    fn ended(&mut self, first: usize, kind: ItemKind) -> Item {
        for mention in self.mentions.drain(..) {
            self.speller.mention(self.toks, mention);
        }
        Item { first, last: self.at - 1, kind }
    }

    fn item(&mut self) -> Option<ItemKind> {
        Some(match self.peek()? {
            Token::Semicolon => {
                while self.semicolon().is_some() {}
                ItemKind::Stray
            }
            Token::Import => {
                self.at += 1;
                self.take(|token| matches!(token, Token::Str))?;
                self.semicolon()?;
                ItemKind::Import
            }
            Token::Const => {
                self.at += 1;
                self.name()?;
                self.take(|token| matches!(token, Token::Equals))?;
                self.expr()?;
                self.semicolon()?;
                ItemKind::Const
            }
            Token::Type => self.record_type()?,
            Token::Proc | Token::Procedure | Token::Function | Token::Program => self.routine()?,
            _ => return None,
        })
    }

    /// Reads `type R(b,h) = record … end;`.
    fn record_type(&mut self) -> Option<ItemKind> {
        self.at += 1;
        self.name()?;
        self.args()?;
        self.take(|token| matches!(token, Token::Equals))?;
        self.take(|token| matches!(token, Token::Record))?;
        let first = self.at;
        loop {
            self.fields()?;
            if self.semicolon().is_none() {
                break;
            }
            if self.peek() != Some(Token::End) {
                self.may_break(first, 0);
            }
        }
        self.take(|token| matches!(token, Token::End))?;
        self.semicolon()?;
        // The names in widths are parameters of the type.
        self.mentions.clear();
        Some(ItemKind::Type)
    }

    /// Reads fields that share a kind, if there are any.
    fn fields(&mut self) -> Option<()> {
        let first = self.at;
        if self.name().is_none() {
            return Some(());
        }
        self.take(|token| matches!(token, Token::Str));
        while self.take(|token| matches!(token, Token::Comma)).is_some() {
            self.may_break(first, 1);
            self.name()?;
            self.take(|token| matches!(token, Token::Str));
        }
        self.take(|token| matches!(token, Token::Colon))?;
        if self.take(|token| matches!(token, Token::Array)).is_some() {
            self.take(|token| matches!(token, Token::OpenBracket))?;
            self.expr()?;
            self.take(|token| matches!(token, Token::Dots))?;
            self.expr()?;
            self.take(|token| matches!(token, Token::CloseBracket))?;
            self.take(|token| matches!(token, Token::Of))?;
        }
        self.name()?;
        self.args().map(|_| ())
    }

    fn routine(&mut self) -> Option<ItemKind> {
        self.at += 1;
        self.name()?;
        while self.take(|token| matches!(token, Token::Minus)).is_some() {
            self.name()?;
        }
        if self.take(|token| matches!(token, Token::Open)).is_some() {
            let first = self.at;
            self.in_header = true;
            self.group()?;
            while self.semicolon().is_some() {
                self.may_break(first, 0);
                self.group()?;
            }
            self.in_header = false;
            self.take(|token| matches!(token, Token::Close))?;
        }
        if self.take(|token| matches!(token, Token::Colon)).is_some() {
            self.ty()?;
        }
        let header_end = self.semicolon()?;
        let mut vars = Vec::new();
        while let Some(var) = self.take(|token| matches!(token, Token::Var)) {
            vars.push((var, self.vars()?));
        }
        let begin = self.take(|token| matches!(token, Token::Begin))?;
        let body = self.body(Some(begin))?;
        Some(ItemKind::Routine { header_end, vars, body })
    }

    /// Reads the continuation of a routine.
    fn rest(&mut self) -> Option<ItemKind> {
        self.body(None).map(ItemKind::Rest)
    }

    /// Reads the statements of a routine that are in this part, after `begin` if that is in it, and
    /// the end.
    fn body(&mut self, begin: Option<usize>) -> Option<Body> {
        let stmts = self.seq()?;
        let end = self.take(|token| matches!(token, Token::End));
        if end.is_some() {
            self.take(|token| matches!(token, Token::Dot));
            self.semicolon();
        }
        Some(match (begin, end) {
            (Some(first), Some(last)) => {
                let short = stmts.is_short();
                Body::Whole(Node { first, last, kind: NodeKind::Block(stmts), short })
            }
            (Some(_), None) | (None, Some(_)) | (None, None) => Body::Part { begin, stmts, end },
        })
    }

    /// Reads the local variables after `var`; returns the last semicolon.
    fn vars(&mut self) -> Option<usize> {
        let first = self.at;
        loop {
            self.group()?;
            let end = self.semicolon()?;
            if !matches!(self.peek(), Some(Token::Name)) {
                return Some(end);
            }
            self.may_break(first, 0);
        }
    }

    /// Reads names with a type.
    fn group(&mut self) -> Option<()> {
        self.take(|token| matches!(token, Token::Var));
        let first = self.at;
        self.declared()?;
        while self.take(|token| matches!(token, Token::Comma)).is_some() {
            self.may_break(first, 1);
            self.declared()?;
        }
        self.take(|token| matches!(token, Token::Colon))?;
        self.ty()
    }

    fn ty(&mut self) -> Option<()> {
        self.take(Token::is_type)?;
        self.args()?;
        if self.take(|token| matches!(token, Token::Of)).is_some() {
            self.name()?;
            self.args()?;
        }
        Some(())
    }

    // ---- expressions ----

    /// Reads arguments in parentheses; returns their number, or `Some(None)` without parentheses.
    fn args(&mut self) -> Option<Option<usize>> {
        if self.take(|token| matches!(token, Token::Open)).is_none() {
            return Some(None);
        }
        self.depth += 1;
        let mut n_args = 0;
        if !matches!(self.peek()?, Token::Close) {
            let first = self.at;
            self.arg()?;
            n_args += 1;
            while self.take(|token| matches!(token, Token::Comma)).is_some() {
                self.may_break(first, 0);
                self.arg()?;
                n_args += 1;
            }
            self.ends(first, 0);
        }
        self.depth -= 1;
        self.take(|token| matches!(token, Token::Close))?;
        Some(Some(n_args))
    }

    /// Reads an argument, which may have a filter.
    fn arg(&mut self) -> Option<()> {
        self.expr()?;
        if self.take(|token| matches!(token, Token::Where)).is_some() {
            self.expr()?;
            if self.take(|token| matches!(token, Token::Else)).is_some() {
                self.expr()?;
            }
        }
        Some(())
    }

    fn expr(&mut self) -> Option<()> {
        let first = self.at;
        self.sum()?;
        let compares = matches!(
            self.peek(),
            Some(
                Token::Equals
                    | Token::Differs
                    | Token::Less
                    | Token::AtMost
                    | Token::Greater
                    | Token::AtLeast
            )
        );
        if compares {
            self.may_break(first, 1);
            self.at += 1;
            self.sum()?;
            self.ends(first, 1);
        }
        Some(())
    }

    fn sum(&mut self) -> Option<()> {
        let first = self.at;
        self.take(|token| matches!(token, Token::Minus));
        self.term()?;
        while let Some(Token::Plus | Token::PlusBar | Token::Minus | Token::Or | Token::Xor) =
            self.peek()
        {
            self.may_break(first, 2);
            self.at += 1;
            self.term()?;
        }
        self.ends(first, 2);
        Some(())
    }

    fn term(&mut self) -> Option<()> {
        let first = self.at;
        self.factor()?;
        while let Some(Token::Times | Token::Div | Token::Mod | Token::And) = self.peek() {
            self.may_break(first, 3);
            self.at += 1;
            self.factor()?;
        }
        self.ends(first, 3);
        Some(())
    }

    fn factor(&mut self) -> Option<()> {
        while self.take(|token| matches!(token, Token::Not)).is_some() {}
        match self.peek()? {
            Token::Open => {
                self.at += 1;
                self.depth += 1;
                self.expr()?;
                self.depth -= 1;
                self.take(|token| matches!(token, Token::Close))?;
                Some(())
            }
            Token::Name | Token::Word => {
                let first = self.at;
                self.at += 1;
                let n_args = self.args()?;
                if !self.steps()? {
                    self.mention(Mention { first, last: first, n_args, is_target: false });
                }
                Some(())
            }
            Token::Number
            | Token::Bits
            | Token::Str
            | Token::True
            | Token::False
            | Token::Theta => {
                self.at += 1;
                Some(())
            }
            _ => None,
        }
    }

    /// Reads fields, indices and arguments after a variable; returns whether there are any.
    fn steps(&mut self) -> Option<bool> {
        let first = self.at;
        loop {
            match self.peek() {
                Some(Token::Dot) => {
                    self.at += 1;
                    self.name()?;
                }
                Some(Token::OpenBracket) => {
                    self.at += 1;
                    self.depth += 1;
                    self.expr()?;
                    self.depth -= 1;
                    self.take(|token| matches!(token, Token::CloseBracket))?;
                }
                Some(Token::Open) if self.at > first => {
                    self.args()?;
                }
                _ => return Some(self.at > first),
            }
        }
    }

    // ---- statements ----

    fn block(&mut self) -> Option<Node> {
        let first = self.take(|token| matches!(token, Token::Begin))?;
        let body = self.seq()?;
        let last = self.take(|token| matches!(token, Token::End))?;
        let short = body.is_short();
        Some(Node { first, last, kind: NodeKind::Block(body), short })
    }

    fn seq(&mut self) -> Option<Seq> {
        let (mut stmts, mut semicolons) = (vec![self.stmt()?], Vec::new());
        while let Some(semicolon) = self.semicolon() {
            semicolons.push(semicolon);
            stmts.push(self.stmt()?);
        }
        Some(Seq { stmts, semicolons })
    }

    fn branch(&mut self) -> Option<Branch> {
        Some(self.stmt()?.map(Box::new))
    }

    /// Reads a statement; returns `Some(None)` for an empty one.
    fn stmt(&mut self) -> Option<Option<Node>> {
        let first = self.at;
        // At the end of a part, the statements of a routine continue in the next one.
        let Some(token) = self.peek() else { return Some(None) };
        let (kind, short) = match token {
            Token::Semicolon | Token::End | Token::Else | Token::Until | Token::Elsewhere => {
                return Some(None);
            }
            Token::Begin => return Some(Some(self.block()?)),
            Token::Repeat => {
                self.at += 1;
                let body = self.seq()?;
                let until = self.take(|token| matches!(token, Token::Until))?;
                self.expr()?;
                let short = body.is_short();
                (NodeKind::Repeat { body, until }, short)
            }
            Token::While | Token::For | Token::Foreach | Token::Forall => {
                let head_end = self.loop_head()?;
                let body = self.branch()?;
                let short = is_short(&body);
                (NodeKind::Loop { head_end, body }, short)
            }
            Token::If => self.if_stmt()?,
            Token::WhereBlock => self.where_stmt()?,
            Token::Goto => {
                self.at += 1;
                self.take(|token| matches!(token, Token::Name | Token::Number))?;
                (NodeKind::Simple, true)
            }
            Token::Name => self.named()?,
            _ => return None,
        };
        Some(Some(Node { first, last: self.at - 1, kind, short }))
    }

    /// Reads from `while`, `for`, `foreach` or `forall` to `do`.
    fn loop_head(&mut self) -> Option<usize> {
        let keyword = self.peek()?;
        self.at += 1;
        match keyword {
            Token::For => {
                self.name()?;
                self.sign()?;
            }
            Token::Foreach | Token::Forall => {
                self.name()?;
                self.take(|token| matches!(token, Token::In))?;
            }
            _ => {}
        }
        self.expr()?;
        if matches!(keyword, Token::For) {
            self.take(|token| matches!(token, Token::To | Token::Downto))?;
            self.expr()?;
        }
        if matches!(keyword, Token::Forall) {
            for middle in [Token::Dots, Token::Where] {
                if self.take(|token| *token == middle).is_some() {
                    self.expr()?;
                }
            }
        }
        self.take(|token| matches!(token, Token::Do))
    }

    fn if_stmt(&mut self) -> Option<(NodeKind, bool)> {
        let (mut arms, mut otherwise) = (Vec::new(), None);
        while let Some(start) = self.take(|token| matches!(token, Token::If)) {
            self.expr()?;
            let then = self.take(|token| matches!(token, Token::Then))?;
            arms.push(Arm { start, then, body: self.branch()? });
            let Some(else_) = self.take(|token| matches!(token, Token::Else)) else { break };
            if !matches!(self.peek(), Some(Token::If)) {
                otherwise = Some((else_, self.branch()?));
                break;
            }
        }
        let last = otherwise.as_ref().is_none_or(|(_, body)| is_short(body));
        let short = arms.len() == 1 && last && arms.iter().all(|arm| is_short(&arm.body));
        Some((NodeKind::If { arms, otherwise }, short))
    }

    fn where_stmt(&mut self) -> Option<(NodeKind, bool)> {
        let mut arms: Vec<WhereArm> = Vec::new();
        while let Some(start) =
            self.take(|token| matches!(token, Token::WhereBlock | Token::Elsewhere))
        {
            let head_end = match self.begins_condition() {
                true => {
                    self.expr()?;
                    self.take(|token| matches!(token, Token::Do))?
                }
                false => start,
            };
            let body = self.seq()?;
            arms.push(WhereArm { start, head_end, body, last: self.at - 1 });
        }
        self.take(|token| matches!(token, Token::End))?;
        let short = arms.len() == 1 && arms.iter().all(|arm| arm.body.is_short());
        Some((NodeKind::Where(arms), short))
    }

    /// Returns whether `do` ends an expression that begins here.
    fn begins_condition(&self) -> bool {
        let ends = |token: &Token| {
            matches!(
                token,
                Token::Do
                    | Token::Assign
                    | Token::Colon
                    | Token::Semicolon
                    | Token::End
                    | Token::Elsewhere
                    | Token::If
                    | Token::While
                    | Token::For
                    | Token::Foreach
                    | Token::Forall
                    | Token::Begin
                    | Token::Repeat
                    | Token::WhereBlock
                    | Token::Goto
            )
        };
        let mut rest = self.toks[self.at..].iter().map(|tok| tok.token);
        rest.find(ends) == Some(Token::Do)
    }

    /// Reads a statement that begins with a name: an assignment, call or label.
    fn named(&mut self) -> Option<(NodeKind, bool)> {
        let first = self.name()?;
        if let Some(colon) = self.take(|token| matches!(token, Token::Colon)) {
            let body = self.branch()?;
            let short = is_short(&body);
            return Some((NodeKind::Labelled { colon, body }, short));
        }
        while self.take(|token| matches!(token, Token::Minus)).is_some() {
            self.name()?;
        }
        let last = self.at - 1;
        let n_args = self.args()?;
        let is_part = self.steps()?;
        let is_target = self.sign().is_some();
        if !is_part {
            self.mention(Mention { first, last, n_args, is_target });
        }
        if is_target {
            self.expr()?;
        }
        Some((NodeKind::Simple, true))
    }
}

impl Seq {
    /// Returns whether there are few statements, all of them simple.
    pub(super) fn is_short(&self) -> bool {
        let simple = |stmt: &Node| matches!(stmt.kind, NodeKind::Simple);
        let stmts = || self.stmts.iter().flatten();
        stmts().all(simple) && stmts().count() <= MOST_ON_A_LINE
    }
}

fn is_short(branch: &Branch) -> bool {
    branch.as_ref().is_none_or(|node| node.short)
}
