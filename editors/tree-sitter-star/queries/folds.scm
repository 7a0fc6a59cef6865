[
  (comment)
  (header)
  (record_type)
  (routine)
  (program)
  (variables)
  (block)
  (repeat)
  (where)
] @fold
