graph [
  directed 1
  node [
    id 0
    label "Oslo"
  ]
  node [
    id 1
    label "Bergen"
  ]
  node [
    id 2
    label "Trondheim"
  ]
  node [
    id 3
    label "Bod&#248; &#38; co"
  ]
  node [
    id 4
    label "Alta &#34;north&#34;"
  ]
  edge [
    source 0
    target 1
    weight 463
    road "E6"
  ]
  edge [
    source 0
    target 2
    weight 494
    road "E6"
  ]
  edge [
    source 1
    target 0
    weight 465
    road "E6"
  ]
  edge [
    source 2
    target 3
    weight 713
    road "E6"
  ]
]
