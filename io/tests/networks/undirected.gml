graph [
  node [
    id 0
    label "0"
  ]
  node [
    id 1
    label "3"
  ]
  node [
    id 2
    label "7"
  ]
  node [
    id 3
    label "12"
  ]
  edge [
    source 0
    target 1
    weight 2
  ]
  edge [
    source 0
    target 2
    weight 9
  ]
  edge [
    source 1
    target 2
    weight 5
  ]
]
