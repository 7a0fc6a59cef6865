(routine name: [(identifier) (hyphenated_name)] @name) @definition.function
(program name: [(identifier) (hyphenated_name)] @name) @definition.function
(constant name: (identifier) @name) @definition.constant
(record_type name: (identifier) @name) @definition.type

(call routine: (identifier) @name) @reference.call
(call_statement . (identifier) @name) @reference.call
(call_statement routine: (hyphenated_name) @name) @reference.call
