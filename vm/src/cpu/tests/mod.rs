//! Tests of the CPU backend.
