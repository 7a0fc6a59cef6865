//! The target `format`; its body is `star_fuzz::format`.

#![cfg_attr(fuzzing, no_main)]

star_fuzz::target!(star_fuzz::format::format);
