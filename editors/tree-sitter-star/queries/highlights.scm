(comment) @comment
(string) @string
(bits) @constant
(number) @number
(constant) @constant.builtin
(declaration) @keyword
(control) @keyword
(type) @type.builtin
(word_operator) @operator
(operator) @operator
(builtin) @function.builtin
(routine_header name: (identifier) @function)
(punctuation) @punctuation.delimiter
