//! The target `run`; its body is `star_fuzz::run`.

#![cfg_attr(fuzzing, no_main)]

star_fuzz::target!(star_fuzz::run::run);
