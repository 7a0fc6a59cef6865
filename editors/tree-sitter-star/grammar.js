// The grammar of Star for tree-sitter, as in language reference §2.14. The compiler defines what is
// a program; this grammar accepts somewhat more, such as chains of comparisons.
//
// * Keywords and built-ins are recognised in any letter case. A keyword is an anonymous node, named
//   as the formatter spells it.
// * A built-in is a `builtin` only where it is called, because programs also use such names, `row`
//   for example, for variables.
// * The header of a test or benchmark is a comment with keywords.
//
// The lists of words are generated: `STAR_BLESS=1 cargo test -p star-tests --test all editors::`.
// After a change of this file, `cargo run -p star-grammar` generates the parser in `src/`.

const KEYWORDS = ["program", "import", "const", "type", "record", "var", "procedure", "proc", "function", "begin", "end", "if", "then", "else", "while", "do", "repeat", "until", "for", "to", "downto", "foreach", "in", "forall", "where", "elsewhere", "integer", "boolean", "true", "false", "string", "slice", "word", "table", "array", "of", "handle", "and", "or", "xor", "not", "div", "mod", "goto"];
const BUILTINS = ["SET", "CLR", "FND", "STEP", "NUMB", "CONVERT", "FRST", "SOME", "ONE", "ZERO", "MASK", "SHIFT", "ROTATE", "MIRROR", "SHUFFLE", "length", "TRIM", "REP", "EQ", "NOTEQ", "LESS", "LESSEQ", "GREAT", "GREATEQ", "ADD", "SUBT", "INT", "WORD", "COL", "ROW", "size", "rows", "name", "print", "read", "write", "assert", "exit", "break", "continue"];
const HEADER_WORDS = ["run", "expect", "ensures", "same as", "fails", "prints", "bench", "published"];

const anyCase = (text) =>
  [...text].map((letter) => (/[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : letter)).join("");

const keywords = Object.fromEntries(KEYWORDS.map((word) => [word, alias(token(new RegExp(anyCase(word))), word)]));
// `WORD` is a keyword, too.
const builtins = BUILTINS.filter((word) => !KEYWORDS.includes(word.toLowerCase()));

const list = (separator, item) => seq(item, repeat(seq(separator, item)));

module.exports = grammar({
  name: "star",

  word: ($) => $.identifier,

  extras: ($) => [/[ \t\r\n\f\u{FEFF}\u{A0}]/u, $.comment, $.header],

  conflicts: ($) => [[$.expression, $.assignment], [$.hyphenated_name, $._reference]],

  supertypes: ($) => [$.statement, $.expression],

  rules: {
    source_file: ($) => repeat(choice($.import, $.constant, $.record_type, $.routine, $.program)),

    import: ($) => seq(keywords.import, field("path", $.string), ";"),
    constant: ($) => seq(keywords.const, field("name", $._name), "=", field("value", $.expression), ";"),
    record_type: ($) =>
      seq(
        keywords.type,
        field("name", $._name),
        optional(seq("(", list(",", field("parameter", $._name)), ")")),
        "=",
        keywords.record,
        list(";", optional($.field_group)),
        keywords.end,
        ";",
      ),
    field_group: ($) =>
      seq(
        list(",", seq(field("name", $._name), optional($.string))),
        ":",
        optional(seq(keywords.array, "[", $.expression, "..", $.expression, "]", keywords.of)),
        field("kind", $._name),
        optional(seq("(", $.expression, ")")),
      ),
    routine: ($) =>
      seq(
        choice(keywords.proc, keywords.procedure, keywords.function),
        field("name", $._routine_name),
        field("parameters", optional($.parameters)),
        optional(seq(":", field("result", $.type))),
        ";",
        repeat($.variables),
        field("body", $.block),
        optional(";"),
      ),
    program: ($) =>
      seq(
        keywords.program,
        field("name", $._routine_name),
        field("parameters", optional($.parameters)),
        ";",
        repeat($.variables),
        field("body", $.block),
        optional("."),
        optional(";"),
      ),
    _routine_name: ($) => choice($._name, $.hyphenated_name),
    hyphenated_name: ($) => seq($._name, repeat1(seq("-", $._name))),

    parameters: ($) => seq("(", list(";", $.parameter_group), ")"),
    parameter_group: ($) => seq(optional(keywords.var), list(",", field("name", $._name)), ":", field("type", $.type)),
    variables: ($) => seq(keywords.var, repeat1($.variable_group)),
    variable_group: ($) => seq(list(",", field("name", $._name)), ":", field("type", $.type), ";"),
    type: ($) =>
      choice(
        keywords.integer,
        keywords.boolean,
        keywords.string,
        keywords.handle,
        seq(choice(keywords.slice, keywords.word), optional(seq("(", $.expression, ")"))),
        seq(
          keywords.table,
          optional(seq("(", list(",", $.expression), ")")),
          optional(seq(keywords.of, field("record", $._name), optional($.arguments))),
        ),
      ),

    statement: ($) =>
      choice(
        $.block,
        $.if,
        $.while,
        $.repeat,
        $.for,
        $.foreach,
        $.forall,
        $.where,
        $.assignment,
        $.call_statement,
        $.goto,
        $.labelled,
      ),
    _statements: ($) => choice($.statement, seq(optional($.statement), repeat1(seq(";", optional($.statement))))),
    block: ($) => seq(keywords.begin, optional($._statements), keywords.end),
    // An `else` belongs to the nearest `if` without one.
    if: ($) =>
      prec.right(
        seq(
          keywords.if,
          field("condition", $.expression),
          keywords.then,
          field("then", optional($.statement)),
          optional(seq(keywords.else, field("else", optional($.statement)))),
        ),
      ),
    while: ($) =>
      prec.right(seq(keywords.while, field("condition", $.expression), keywords.do, field("body", optional($.statement)))),
    repeat: ($) => seq(keywords.repeat, optional($._statements), keywords.until, field("condition", $.expression)),
    for: ($) =>
      prec.right(
        seq(
          keywords.for,
          field("variable", $._name),
          $._assign,
          field("from", $.expression),
          choice(keywords.to, keywords.downto),
          field("to", $.expression),
          keywords.do,
          field("body", optional($.statement)),
        ),
      ),
    foreach: ($) =>
      prec.right(
        seq(
          keywords.foreach,
          field("variable", $._name),
          keywords.in,
          field("over", $.expression),
          keywords.do,
          field("body", optional($.statement)),
        ),
      ),
    forall: ($) =>
      prec.right(
        seq(
          keywords.forall,
          field("variable", $._name),
          keywords.in,
          field("over", $.expression),
          optional(seq("..", field("to", $.expression))),
          optional(seq(keywords.where, field("condition", $.expression))),
          keywords.do,
          field("body", optional($.statement)),
        ),
      ),
    // The condition of an `elsewhere` begins like a statement.
    where: ($) =>
      seq(
        keywords.where,
        field("condition", $.expression),
        keywords.do,
        optional($._statements),
        repeat($.elsewhere),
        keywords.end,
      ),
    elsewhere: ($) =>
      seq(
        keywords.elsewhere,
        optional(seq(field("condition", $.expression), keywords.do)),
        optional($._statements),
      ),
    assignment: ($) => seq(field("target", choice($._reference, $.path)), $._assign, field("value", $.expression)),
    call_statement: ($) =>
      choice(
        $.identifier,
        $.builtin,
        $.call,
        seq(field("routine", $.hyphenated_name), field("arguments", optional($.arguments))),
      ),
    goto: ($) => seq(keywords.goto, choice($._name, $.number)),
    labelled: ($) => prec.right(seq(field("label", $._name), ":", optional($.statement))),
    _assign: () => choice(alias(token(/:[ \t]*=/), ":="), "="),

    expression: ($) =>
      choice(
        $.comparison,
        $.sum,
        $.negation,
        $.product,
        $.not,
        $.parentheses,
        $.number,
        $.bits,
        $.string,
        $.boolean,
        $.zeros,
        $._reference,
        $.path,
      ),
    comparison: ($) =>
      prec.left(
        1,
        seq($.expression, choice("=", "<>", "≠", "<", "<=", ">", ">="), $.expression),
      ),
    sum: ($) => prec.left(2, seq($.expression, choice("+", "+|", "-", keywords.or, keywords.xor), $.expression)),
    negation: ($) => prec.left(2, seq("-", $.expression)),
    product: ($) =>
      prec.left(3, seq($.expression, choice("*", keywords.div, keywords.mod, keywords.and), $.expression)),
    not: ($) => prec(4, seq(choice(keywords.not, "¬"), $.expression)),
    parentheses: ($) => seq("(", $.expression, ")"),

    _reference: ($) => choice($._name, $.call),
    call: ($) => seq(field("routine", choice($.identifier, $.builtin)), field("arguments", $.arguments)),
    arguments: ($) => seq("(", optional(list(",", choice($.expression, $.filtered))), ")"),
    filtered: ($) =>
      seq(
        field("value", $.expression),
        keywords.where,
        field("filter", $.expression),
        optional(seq(keywords.else, field("else", $.expression))),
      ),
    // A field or row of a table of records, or a part of an object in a module of the library.
    path: ($) =>
      choice(
        seq(
          choice($._reference, $.path),
          choice(seq(".", field("name", $._name)), seq("[", $.expression, "]")),
        ),
        seq($.path, $.arguments),
      ),

    number: () => /[0-9]+/,
    bits: () => /'[^'\n]*'/,
    string: () => /"[^"\n]*"/,
    boolean: () => choice(keywords.true, keywords.false),
    zeros: () => choice("Θ", "∅"),

    // A name that a program declares, which may be that of a built-in.
    _name: ($) => choice($.identifier, alias($._builtin_word, $.identifier)),
    // `WORD(i,h)`: the name of this built-in is also a keyword.
    builtin: ($) => choice($._builtin_word, token(new RegExp(anyCase("word")))),
    _builtin_word: () => token(new RegExp(builtins.map(anyCase).join("|"))),
    // Of two rules that match the same text, the first one prevails.
    identifier: () => /[\p{XID_Start}_][\p{XID_Continue}]*/u,

    comment: () =>
      token(
        choice(/#![^\n]*/, /\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//, /\(\*[^*]*\*+([^)*][^*]*\*+)*\)/, /\{[^}]*\}/),
      ),

    // `/* @test …` and `/* @bench …`. A line begins with a word, the name of a parameter or other
    // text.
    header: ($) =>
      seq(
        alias(token(prec(1, /\/\*[ \t\r\n]*@(test|bench)/)), $.header_word),
        optional($._header_text),
        repeat(
          choice(seq(choice($.header_word, $._header_name), optional($._header_text)), $._header_line, "*"),
        ),
        "*/",
      ),
    header_word: () => token(prec(2, new RegExp(HEADER_WORDS.join("|").replaceAll(" ", "[ \\t]+")))),
    _header_name: () => token(prec(2, /[\p{XID_Start}_][\p{XID_Continue}]*/u)),
    _header_text: () => token.immediate(prec(3, /[ \t]([^\n*]|\*+[^/\n*])+/)),
    _header_line: () => token(prec(1, /[^\s*]([^\n*]|\*+[^/\n*])*/)),
  },
});
