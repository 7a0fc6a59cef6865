//! Routine headers, variables, types, locations.

use star_base::{FileId, Intrinsic, Span};

use super::scan::Token;
use super::{Parsed, Parser};
use crate::program::{
    Extent, InlinedCall, LocId, Location, Mode, NamedVar, Param, Routine, RoutineId, Ty, Var, VarId,
};

/// The header of a routine.
struct Header {
    params: Vec<Param>,
    result: Option<VarId>,
    vars: Vec<Var>,
    loc: LocId,
}

impl Parser<'_> {
    pub(super) fn routine(&mut self, idx: usize) -> Parsed<Routine> {
        self.advance()?;
        let start = self.start;
        if self.number::<usize>("a routine number")? != idx {
            self.start = start;
            return self.fault(format!("expected routine number {idx}"));
        }
        let name = self.string("a routine name")?;
        let intrinsic = if self.take_word("intrinsic")? { Some(self.intrinsic()?) } else { None };

        // Sizes may name variables that are declared later: the header is parsed twice.
        let (scanner, token, start) = (self.scanner, self.token.clone(), self.start);
        self.declaring = true;
        let Header { vars, .. } = self.header()?;
        self.declaring = false;
        self.names.clear();
        for (id, var) in (0..).zip(vars) {
            self.names.entry(var.name).and_modify(|known| *known = None).or_insert(Some(VarId(id)));
        }
        (self.scanner, self.token, self.start) = (scanner, token, start);
        let Header { params, result, vars, loc } = self.header()?;

        let body = self.statements()?;
        Ok(Routine { name, params, result, vars, body, loc, intrinsic })
    }

    fn intrinsic(&mut self) -> Parsed<Intrinsic> {
        let start = self.start;
        let name = self.any_word("an intrinsic name")?;
        match Intrinsic::find(name) {
            Some(intrinsic) => Ok(intrinsic),
            None => {
                self.start = start;
                self.fault(format!("unknown intrinsic `{name}`"))
            }
        }
    }

    fn header(&mut self) -> Parsed<Header> {
        let mut vars = Vec::new();
        self.mark("(")?;
        let params = self.list(")", |parser| {
            let mode: Mode = parser.mnemonic("`value` or `ref`")?;
            let set_at_end = mode == Mode::Ref && parser.take_word("set")?;
            let var = parser.parameter(&mut vars)?;
            Ok(Param { var, mode, set_at_end })
        })?;
        let result = if self.take_mark("->")? { Some(self.var()?) } else { None };
        let loc = self.loc()?;
        self.mark("{")?;
        while self.take_word("var")? {
            let Token::Var(name) = self.advance()? else {
                return self.expected("a name such as `%x`");
            };
            let var = self.declaration(name)?;
            vars.push(var);
        }
        Ok(Header { params, result, vars, loc })
    }

    /// Parses a variable that is declared here or below.
    fn parameter(&mut self, vars: &mut Vec<Var>) -> Parsed<VarId> {
        let name = match &self.token {
            Token::Var(name) if self.scanner.next_is_colon() => name.clone(),
            _ => return self.var(),
        };
        self.advance()?;
        let var = self.declaration(name)?;
        vars.push(var);
        // There are fewer variables than bytes of text, and the text is shorter than 2³² bytes.
        Ok(VarId(u32::try_from(vars.len() - 1).unwrap_or(u32::MAX)))
    }

    /// Parses the part after a name: `: type sized as "source"`.
    fn declaration(&mut self, name: String) -> Parsed<Var> {
        self.mark(":")?;
        let ty = self.ty()?;
        let sized = self.take_word("sized")?;
        let source = if self.take_word("as")? { Some(self.string("a source name")?) } else { None };
        Ok(Var { name, ty, source, sized })
    }

    fn ty(&mut self) -> Parsed<Ty> {
        let start = self.start;
        match self.any_word("a type")? {
            "int" => Ok(Ty::Int),
            "bool" => Ok(Ty::Bool),
            "string" => Ok(Ty::Str),
            "handle" => Ok(Ty::Handle),
            word @ ("slice" | "word") => {
                self.mark("[")?;
                let n = self.extent()?;
                self.mark("]")?;
                Ok(if word == "slice" { Ty::Slice(n) } else { Ty::Word(n) })
            }
            "table" => {
                self.mark("[")?;
                let rows = self.extent()?;
                self.comma()?;
                let columns = self.extent()?;
                self.mark("]")?;
                Ok(Ty::Table(rows, columns))
            }
            other => {
                self.start = start;
                self.fault(format!("unknown type `{other}`"))
            }
        }
    }

    fn extent(&mut self) -> Parsed<Extent> {
        if self.take_mark("?")? {
            return Ok(Extent::Dynamic);
        }
        match self.token {
            Token::Number(_) => Ok(Extent::Const(self.number("a size")?)),
            _ => Ok(Extent::Var(self.var()?)),
        }
    }

    fn span(&mut self) -> Parsed<Span> {
        let file = self.number("a file number")?;
        self.mark(":")?;
        let start = self.number("an offset")?;
        self.mark("..")?;
        let end = self.number("an offset")?;
        Ok(Span::new(FileId(file), start, end))
    }

    /// `locations { !0 = …, … }`.
    pub(super) fn locations(&mut self) -> Parsed<Vec<Location>> {
        self.advance()?;
        self.mark("{")?;
        let mut locations = Vec::new();
        while !self.take_mark("}")? {
            let start = self.start;
            if self.loc()?.0 as usize != locations.len() {
                self.start = start;
                return self.fault(format!("expected location !{}", locations.len()));
            }
            self.mark("=")?;
            let span = self.span()?;
            let at_call = self.take_word("at_call")?;
            let inlined = self.bracketed("inlined", |parser| {
                let routine = RoutineId(parser.number("a routine number")?);
                parser.word("at")?;
                Ok(InlinedCall { routine, call: parser.loc()? })
            })?;
            let operands = self.bracketed("names", |parser| {
                let Token::VarNumber(n) = parser.token else {
                    return parser.expected("a variable number such as `#3`");
                };
                parser.advance()?;
                let name = parser.string("a source name")?;
                Ok(NamedVar { var: VarId(n), name })
            })?;
            locations.push(Location { span, inlined, operands, at_call });
        }
        Ok(locations)
    }

    /// `3 "NAME"`; the name is omitted if there is no such routine.
    pub(super) fn callee(&mut self) -> Parsed<RoutineId> {
        let callee = RoutineId(self.number("a routine number")?);
        if matches!(self.token, Token::Str(_)) {
            let at = self.start;
            let name = self.string("a routine name")?;
            self.called.push((at, callee, name));
        }
        Ok(callee)
    }
}
