//! Loops over fields of a table, and loops that are nearly in that form.

use star_base::Builtin;

use super::super::Gen;
use super::super::scope::{Known, VarIdx};
use super::super::source::{Expr, ExprType, Part, Stmt, stmt};

/// A table of fields of this many columns, the index of the loop over them, and the variable into
/// which a field is copied.
struct Fields {
    table: String,
    rows: usize,
    width: usize,
    index: String,
    field: (VarIdx, String),
}

impl Gen {
    /// Extracts, changes and writes back the fields of a table, one after another.
    pub(super) fn fields(
        &mut self,
        all: &mut Vec<Stmt>,
        table: VarIdx,
        rows: usize,
        columns: usize,
    ) {
        let table = self.var(table).name.clone();
        let width = 1 + self.random.below(columns.min(6));
        let n_fields = columns / width;
        let (_, index) = self.own(ExprType::Int, Known::Unset, (1, n_fields as i64));
        let field = self.own(ExprType::Table, Known::Unset, (0, 0));
        let fields = Fields { table, rows, width, index, field };
        let mask = self.begin(all, ExprType::Slice, rows);
        let body = self.iterated(n_fields, |this| {
            this.charge(14 * width + 6);
            let mut body = match this.random.below(6) {
                0 | 1 => {
                    let procedure = ["ADDC", "SUBTC"][this.random.below(2)];
                    let change = this.add_to_field(&fields, procedure);
                    vec![this.take_out(&fields), change, this.put_back(&fields)]
                }
                2 | 3 => {
                    let masked = this.mask_field(&fields, &mask, 0);
                    vec![this.take_out(&fields), masked, this.put_back(&fields)]
                }
                4 => {
                    let (found_idx, found) = this.own(ExprType::Slice, Known::Unset, (0, 0));
                    let (load, word) =
                        (this.take_out(&fields), this.bits(ExprType::Word, width, 1));
                    this.var_mut(found_idx).known = Known::Unset;
                    let args = vec![
                        Expr::leaf(ExprType::Table, &fields.field.1),
                        Expr::leaf(ExprType::Slice, &mask),
                        word,
                        Expr::leaf(ExprType::Slice, &found),
                    ];
                    let search = this.library_stmt("MATCH", args);
                    let masked = this.mask_field(&fields, &found, 0);
                    vec![load, search, masked, this.put_back(&fields)]
                }
                _ => {
                    // The columns of the fields; with a smaller step, iterations overlap.
                    let step = if this.random.chance(70) { width } else { width - 1 };
                    vec![this.mask_field(&fields, &mask, step.max(1))]
                }
            };
            if this.random.chance(30) {
                let is_loaded = body.len() > 1;
                body.push(this.depend(&fields, &mask, n_fields, is_loaded));
            }
            body
        });
        self.count("for to");
        let index = fields.index;
        let down = self.random.chance(20);
        all.push(match down {
            true => stmt!("for ", index, format!(":={n_fields} downto 1 do "), Part::Body(body)),
            false => stmt!("for ", index, format!(":=1 to {n_fields} do "), Part::Body(body)),
        });
    }

    fn take_out(&mut self, fields: &Fields) -> Stmt {
        let Fields { table, width, index, field: (_, field), .. } = fields;
        self.library_call("TCOPY1", &[table, index, &width.to_string(), field])
    }

    fn put_back(&mut self, fields: &Fields) -> Stmt {
        let Fields { table, width, index, field: (_, field), .. } = fields;
        self.library_call("TCOPY2", &[field, index, &width.to_string(), table])
    }

    fn add_to_field(&mut self, fields: &Fields, procedure: &'static str) -> Stmt {
        let Fields { rows, width, field: (field_idx, field), .. } = fields;
        self.var_mut(*field_idx).known = Known::Table(*rows, *width);
        let mask = self.bits(ExprType::Slice, *rows, 1);
        let word = self.bits(ExprType::Word, *width, 1);
        self.var_mut(*field_idx).known = Known::Unset;
        let field = Expr::leaf(ExprType::Table, field);
        self.library_stmt(procedure, vec![field.clone(), mask, word, field])
    }

    /// Masks each column of the field alone, or of the table, with fields that begin at multiples
    /// of the step.
    fn mask_field(&mut self, fields: &Fields, mask: &str, step: usize) -> Stmt {
        let Fields { table, width, index, field: (_, field), .. } = fields;
        let (_, column) = self.own(ExprType::Int, Known::Unset, (1, *width as i64));
        let (of, at) = match step {
            0 => (field, column.clone()),
            step => (table, format!("({index}-1)*{step}+{column}")),
        };
        let op = [" and ", " or ", " xor "][self.random.below(3)];
        let inner = self.iterated(*width, |this| {
            this.charge(3);
            let (read, written) = (this.col(&*at, of), this.col(&*at, of));
            vec![stmt!(written, ":=", read, op, mask)]
        });
        self.count("for to");
        stmt!("for ", column, format!(":=1 to {width} do "), Part::Body(inner))
    }

    /// Generates statements that make iterations depend on each other, or that leave a value that
    /// is read later.
    fn depend(&mut self, fields: &Fields, mask: &str, n_fields: usize, is_loaded: bool) -> Stmt {
        let Fields { table, width, index, field: (_, field), .. } = fields;
        match self.random.below(4) {
            0 => {
                let other = format!("{}-{index}", n_fields + 1);
                self.library_call("TCOPY1", &[table, &other, &width.to_string(), field])
            }
            1 if is_loaded => {
                let first = self.col("1", field);
                stmt!(mask, ":=", mask, " xor ", first)
            }
            2 => {
                let column = self.col(&**index, table);
                stmt!(column, ":=", mask)
            }
            _ => {
                let mine = self.col("1", table);
                let count = self.builtin(Builtin::Numb, ExprType::Int, vec![mine]);
                stmt!("if ", count, ">1 then ", mask, ":=not ", mask)
            }
        }
    }
}
