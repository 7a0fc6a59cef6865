//! Kernels over a grid of workgroups that implement library routines. All load from and store to
//! the memory of the device, and receive 32 words as `given`.

pub mod arcs;
pub mod cbt;
pub mod closure;
pub mod min_plus;
pub mod moving;
pub mod numbers;
pub mod polyline;
pub mod terrain;
pub mod wave;
pub mod weighed;
