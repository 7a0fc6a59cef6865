// Star, the language of the STAR-machine, for tree-sitter. It knows words, literals, comments and the nesting of parentheses and
// of `begin … end`, which is what highlighting and folding need; what is a program is the compiler's business.

const DECLARATIONS = ["program", "import", "const", "var", "procedure", "proc", "function"];
const CONTROL = ["begin", "end", "if", "then", "else", "while", "do", "repeat", "until", "for", "to", "downto", "foreach", "in", "goto"];
const TYPES = ["integer", "boolean", "string", "slice", "word", "table", "handle"];
const CONSTANTS = ["true", "false"];
const OPERATORS = ["and", "or", "xor", "not", "div", "mod"];
const BUILTINS = ["SET", "CLR", "FND", "STEP", "NUMB", "CONVERT", "FRST", "SOME", "ONE", "ZERO", "MASK", "SHIFT", "ROTATE", "MIRROR", "SHUFFLE", "length", "TRIM", "REP", "EQ", "NOTEQ", "LESS", "LESSEQ", "GREAT", "GREATEQ", "ADD", "SUBT", "INT", "WORD", "COL", "ROW", "size", "rows", "name", "print", "read", "write", "assert", "exit", "break", "continue"];

// Keywords and built-ins are the same in any letter case.
const word = (text) =>
  new RegExp(
    [...text]
      .map((letter) => (/[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : letter))
      .join(""),
  );
// The longest match wins, so `beginning` is a name; of two equally long ones the rule that comes first, so names come last.
const words = (list) => token(choice(...list.map(word)));

module.exports = grammar({
  name: "star",

  extras: ($) => [/\s/, $.comment],

  rules: {
    source_file: ($) => repeat($._item),

    _item: ($) => choice($.routine_header, $.block, $.parentheses, $._word, $._literal, $.operator, $.punctuation),

    routine_header: ($) =>
      seq(field("kind", alias(words(["program", "procedure", "proc", "function"]), $.declaration)), field("name", $.identifier)),

    block: ($) => seq(alias(words(["begin", "repeat"]), $.control), repeat($._item), alias(words(["end", "until"]), $.control)),

    parentheses: ($) => seq("(", repeat($._item), ")"),

    _word: ($) => choice($.declaration, $.control, $.type, $.word_operator, $.builtin, $.identifier),

    declaration: () => words(DECLARATIONS.filter((text) => !["program", "procedure", "proc", "function"].includes(text))),
    control: () => words(CONTROL.filter((text) => !["begin", "repeat", "end", "until"].includes(text))),
    type: () => words(TYPES),
    word_operator: () => words(OPERATORS),
    builtin: () => words(BUILTINS),

    _literal: ($) => choice($.number, $.bits, $.string, $.constant),
    number: () => /[0-9]+/,
    bits: () => /'[^'\n]*'/,
    string: () => /"[^"\n]*"/,
    constant: () => choice("Θ", "∅", words(CONSTANTS)),

    operator: () => choice(/:[ \t]*=/, "<>", "≠", "<=", "≤", ">=", "≥", "=", "<", ">", "+", "-", "*", "¬"),
    punctuation: () => choice(":", ";", ",", "."),

    identifier: () => /[\p{XID_Start}_][\p{XID_Continue}]*/u,

    comment: () =>
      token(
        choice(
          /\/\/[^\n]*/,
          /\/\*[^*]*\*+([^/*][^*]*\*+)*\//,
          /\(\*[^*]*\*+([^)*][^*]*\*+)*\)/,
          /\{[^}]*\}/,
        ),
      ),
  },
});
