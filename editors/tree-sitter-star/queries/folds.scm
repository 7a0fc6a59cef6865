[
  (comment)
  (header)
  (routine)
  (program)
  (variables)
  (block)
  (repeat)
] @fold
