//! The line that data walks, in reading order: source → gate → fetch → parse → observe, [`poll`] shows
//! it in one function; [`schedule`] says when, [`recompute`] derives the boards. [`pages`] are what
//! readers' feeds are made of; [`refresh`] keeps those fresh that many want.
//!
//! Errors: [`poll::PollError`] and [`recompute::Error`] for what could not be recorded; whatever a source
//! does is data (an outcome, a verdict, a defect), never an error of ours.

pub mod source;

pub mod gate;

pub mod fetch;

pub mod parse;

pub mod observe;

pub mod poll;
pub mod recompute;
pub mod schedule;
pub mod trial;

pub mod pages;
pub mod popularity;
pub mod refresh;
pub mod shared;

pub mod clock;
pub mod web;
pub mod youtube;

pub mod cpu;
