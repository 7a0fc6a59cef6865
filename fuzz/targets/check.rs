//! The target `check`; its body is `star_fuzz::check`.

#![cfg_attr(fuzzing, no_main)]

star_fuzz::target!(star_fuzz::check::check);
