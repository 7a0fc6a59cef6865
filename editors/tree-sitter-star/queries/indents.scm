; The captures of Helix, and those of Neovim, which have a dot.

[
  (block)
  (repeat)
  (where)
  (record_type)
  (parameters)
  (arguments)
  (parentheses)
] @indent @indent.begin

["end" "until" "elsewhere"] @outdent @indent.branch
"end" @indent.end

(parameters ")" @outdent @indent.branch @indent.end)
(arguments ")" @outdent @indent.branch @indent.end)
(parentheses ")" @outdent @indent.branch @indent.end)

; A single statement on the line after `then`, `else` or `do`. (Helix)
(if
  then: [(if) (while) (for) (foreach) (forall) (assignment) (call_statement) (goto) (labelled)] @indent
  (#set! "scope" "all"))
(if
  else: [(while) (for) (foreach) (forall) (assignment) (call_statement) (goto) (labelled)] @indent
  (#set! "scope" "all"))
(while
  body: [(if) (while) (for) (foreach) (forall) (assignment) (call_statement) (goto) (labelled)] @indent
  (#set! "scope" "all"))
(for
  body: [(if) (while) (for) (foreach) (forall) (assignment) (call_statement) (goto) (labelled)] @indent
  (#set! "scope" "all"))
(foreach
  body: [(if) (while) (for) (foreach) (forall) (assignment) (call_statement) (goto) (labelled)] @indent
  (#set! "scope" "all"))
(forall
  body: [(if) (while) (for) (foreach) (forall) (assignment) (call_statement) (goto) (labelled)] @indent
  (#set! "scope" "all"))
