; Each node has one pattern: editors differ in which of two patterns prevails. Numbers and booleans
; are constants, because Helix knows neither `@number` nor `@boolean`.
; Variables keep the colour of text.

(comment) @comment
(header) @comment.documentation
(header_word) @keyword.directive

(string) @string
(bits) @constant
(number) @constant.numeric
(boolean) @constant.builtin.boolean
(zeros) @constant.builtin

"import" @keyword.import
["program" "proc" "procedure" "function"] @keyword.function
["const" "type" "record" "array" "of" "var" "begin" "end" "goto"] @keyword
["if" "then" "else"] @keyword.conditional
["while" "do" "repeat" "until" "for" "to" "downto" "foreach" "in" "forall" "where" "elsewhere"] @keyword.repeat
["and" "or" "xor" "not" "div" "mod"] @keyword.operator
["integer" "boolean" "string" "handle" "slice" "word" "table"] @type.builtin

[":=" "=" "<>" "≠" "<" "<=" ">" ">=" "+" "+|" "-" "*" "¬"] @operator
["(" ")" "[" "]"] @punctuation.bracket
[":" ";" "," "." ".."] @punctuation.delimiter

(builtin) @function.builtin
(call routine: (identifier) @function.call)
(call_statement . (identifier) @function.call)
(hyphenated_name (identifier) @function)
(routine name: (identifier) @function)
(program name: (identifier) @function)
(constant name: (identifier) @constant)
(parameter_group name: (identifier) @variable.parameter)
(record_type name: (identifier) @type)
(type record: (identifier) @type)
(field_group kind: (identifier) @type.builtin)
(field_group name: (identifier) @variable.member)
(path name: (identifier) @variable.member)
(labelled label: (identifier) @label)
