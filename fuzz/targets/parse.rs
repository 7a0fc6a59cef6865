//! The target `parse`; its body is `star_fuzz::parse`.

#![cfg_attr(fuzzing, no_main)]

star_fuzz::target!(star_fuzz::parse::parse);
