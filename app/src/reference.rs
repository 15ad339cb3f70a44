//! The HTTP API in the words of its document, for the page that explains it.

/// Every address and every shape of the API.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    pub operations: Vec<Operation>,
    pub shapes: Vec<Shape>,
}

/// One method at one address. Texts are English: they are the code's own.
#[derive(Clone, Debug)]
pub struct Operation {
    pub method: String,
    pub path: String,
    pub summary: String,
    pub description: String,
    pub parameters: Vec<Parameter>,
    pub answers: Vec<Answer>,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    /// Part of the path; otherwise of the query, and optional.
    pub in_path: bool,
    /// A type in words, such as `integer` or `[Event]`.
    pub kind: String,
    pub description: String,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: String,
    /// Media type; empty for an answer without a body.
    pub media: String,
    pub kind: String,
    pub description: String,
}

/// A named type of the answers.
#[derive(Clone, Debug)]
pub struct Shape {
    pub name: String,
    pub description: String,
    pub kind: String,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub kind: String,
    pub description: String,
}
