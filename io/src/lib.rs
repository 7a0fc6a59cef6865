//! Readers, writers and layouts of graphs and bit tables.
