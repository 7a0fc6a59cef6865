//! The target `read`; its body is `star_fuzz::read`.

#![cfg_attr(fuzzing, no_main)]

star_fuzz::target!(star_fuzz::read::read);
