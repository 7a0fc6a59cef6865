//! Kernels over a grid of workgroups that do what a library routine does. All load from and store to the memory of the
//! device, and are given 32 words as `given`.

pub mod closure;
pub mod min_plus;
