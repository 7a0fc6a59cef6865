//! Execution of instructions on tables and handles: methods of the interpreter; `random_forms`
//! changes the forms of tables in tests.

mod handle_ops;
pub(super) mod random_forms;
mod table_memory;
mod table_ops;
