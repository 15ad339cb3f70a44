//! How large a question is, known before anything else is done with it: whatever reads a question recurs
//! into its brackets, and follows a fragment as often as it is used.

use std::collections::HashMap;

use async_graphql::parser::types::{FragmentDefinition, Selection, SelectionSet};
use async_graphql::{Name, Positioned, Request};

use crate::error::ApiError;

const BRACKETS: usize = 500;
const SELECTIONS: usize = 10_000;

/// A question of which no text can be dear to read.
pub fn modest(mut question: Request) -> Result<Request, ApiError> {
    let brackets = question.query.bytes().filter(|byte| matches!(byte, b'{' | b'[' | b'(')).count();
    if brackets > BRACKETS {
        return Err(ApiError::BadRequest(format!(
            "a question may have {BRACKETS} pairs of brackets; this one has {brackets}"
        )));
    }
    // One that cannot be parsed is refused where it would be answered.
    let Ok(document) = question.parsed_query() else { return Ok(question) };
    let mut selections = Selections { fragments: &document.fragments, known: HashMap::new() };
    let sizes =
        document.operations.iter().map(|(_, it)| selections.of(&it.node.selection_set.node));
    if sizes.fold(0, usize::saturating_add) > SELECTIONS {
        return Err(ApiError::BadRequest(format!(
            "a question may select {SELECTIONS} fields, with each fragment as often as it is used"
        )));
    }
    Ok(question)
}

struct Selections<'a> {
    fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
    /// Sizes of fragments; 0 while one is being measured, since none may use itself.
    known: HashMap<&'a Name, usize>,
}

impl<'a> Selections<'a> {
    fn of(&mut self, set: &'a SelectionSet) -> usize {
        let within = set.items.iter().map(|selection| match &selection.node {
            Selection::Field(field) => self.of(&field.node.selection_set.node),
            Selection::InlineFragment(fragment) => self.of(&fragment.node.selection_set.node),
            Selection::FragmentSpread(used) => self.of_fragment(&used.node.fragment_name.node),
        });
        within.fold(set.items.len(), usize::saturating_add)
    }

    fn of_fragment(&mut self, name: &'a Name) -> usize {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        self.known.insert(name, 0);
        let fragment = self.fragments.get(name);
        let size = fragment.map_or(0, |fragment| self.of(&fragment.node.selection_set.node));
        self.known.insert(name, size);
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_count_as_often_as_they_are_used() {
        for (query, size) in [
            ("{ a b { c } }", 3),
            ("{ ... on Query { a } b: a }", 3),
            ("{ ...f ...f } fragment f on Query { a b }", 6),
            ("{ ...f } fragment f on Query { ...g ...g } fragment g on Query { a }", 5),
            ("{ ...f } fragment f on Query { a ...f }", 3),
            ("{ ...unknown }", 1),
            ("query a { b } query c { d { e } }", 3),
        ] {
            let mut question = Request::new(query);
            let document = question.parsed_query().unwrap();
            let mut selections =
                Selections { fragments: &document.fragments, known: HashMap::new() };
            let operations = document.operations.iter();
            let sizes: usize =
                operations.map(|(_, it)| selections.of(&it.node.selection_set.node)).sum();
            assert_eq!(sizes, size, "{query}");
        }
    }

    #[test]
    fn fragments_that_multiply_are_refused_at_once() {
        let chain = |length: usize| {
            let fragments = (1..length).map(|next| {
                format!("fragment f{} on Query {{ ...f{next} ...f{next} }} ", next - 1)
            });
            format!(
                "{{ ...f0 }} {} fragment f{} on Query {{ a }}",
                fragments.collect::<String>(),
                length - 1,
            )
        };
        assert!(modest(Request::new(chain(10))).is_ok());
        assert!(modest(Request::new(chain(200))).is_err());
        assert!(modest(Request::new("{a".repeat(30_000))).is_err());
    }
}
