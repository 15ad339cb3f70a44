//! The subcommands, one file each.

pub mod demo;
pub mod export;
pub mod recompute;
pub mod replay;
pub mod serve;
pub mod sources;
pub mod verify;

mod collect;

pub use demo::Walk;
