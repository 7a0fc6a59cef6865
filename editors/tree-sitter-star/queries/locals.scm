(routine) @local.scope
(program) @local.scope

(routine name: (identifier) @local.definition)
(program name: (identifier) @local.definition)
(constant name: (identifier) @local.definition)
(record_type name: (identifier) @local.definition)
(parameter_group name: (identifier) @local.definition)
(variable_group name: (identifier) @local.definition)

(identifier) @local.reference
