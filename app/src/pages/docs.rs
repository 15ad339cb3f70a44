//! The HTTP API, explained from its own document.

use leptos::prelude::*;

use crate::context::Visit;
use crate::parts::{Head, frame};
use crate::reference::{Operation, Parameter, Shape};

/// A question that shows what one gains by asking so.
const GRAPHQL: &str = "{
  events(limit: 3, newsrooms: 2) {
    events {
      title
      heat
      mentions { newsroom { name } at }
    }
  }
}";

#[component]
pub(crate) fn DocsPage() -> impl IntoView {
    let v = Visit::here();
    let t = v.t;
    let api = &v.page.reference;
    let contents = api.operations.iter().map(|operation| {
        view! {
            <li>
                <a href=format!("#{}", anchor(operation))>
                    <code>{operation.method.clone()} " " {operation.path.clone()}</code>
                </a>
            </li>
        }
    });
    let content = view! {
        <h1>{t.docs}</h1>
        <p class="lede">{t.docs_lede}</p>
        <p>
            <a href="/v1/openapi.json">"/v1/openapi.json"</a> " – " {t.docs_document}
        </p>
        <p>{t.docs_rules}</p>
        <ul>
            {contents.collect_view()}
            <li>
                <a href="#graphql">
                    <code>"POST /graphql"</code>
                </a>
            </li>
        </ul>
        {api.operations.iter().map(|it| operation(&v, it)).collect_view()}
        <section aria-labelledby="graphql">
            <h2 id="graphql">
                <code>"POST /graphql"</code>
            </h2>
            <p>{t.docs_graphql}</p>
            <p>
                <a href="/graphql">"/graphql"</a> " – " {t.docs_schema}
            </p>
            <div class="scroll" role="group" tabindex="0" aria-label=t.docs_example>
                <pre><code>{GRAPHQL}</code></pre>
            </div>
        </section>
        <section aria-labelledby="shapes">
            <h2 id="shapes">{t.docs_shapes}</h2>
            {api.shapes.iter().map(|it| shape(&v, it)).collect_view()}
        </section>
    };
    frame(&v, Head::new(t.docs, t.docs_lede), content.into_any())
}

fn anchor(operation: &Operation) -> String {
    let path: String =
        operation.path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{}{path}", operation.method.to_lowercase())
}

fn operation(v: &Visit, operation: &Operation) -> AnyView {
    let t = v.t;
    let id = anchor(operation);
    let heading = id.clone();
    let parameters = operation.parameters.iter().map(|it| parameter(v, it)).collect_view();
    let parameters = (!operation.parameters.is_empty()).then(|| {
        let head = [t.docs_parameter, t.docs_type, t.docs_meaning];
        table(&format!("{} {}", operation.path, t.docs_parameter), head, parameters.into_any())
    });
    let answers = operation.answers.iter().map(|answer| {
        view! {
            <tr>
                <th scope="row">{answer.status.clone()}</th>
                <td>{kind(&answer.kind)} " " <small>{answer.media.clone()}</small></td>
                <td lang="en">{answer.description.clone()}</td>
            </tr>
        }
    });
    let answers = table(
        &format!("{} {}", operation.path, t.docs_answer),
        [t.docs_answer, t.docs_type, t.docs_meaning],
        answers.collect_view().into_any(),
    );
    view! {
        <section aria-labelledby=id>
            <h2 id=heading>
                <code>{operation.method.clone()} " " {operation.path.clone()}</code>
            </h2>
            <p lang="en">{operation.summary.clone()} ". " {operation.description.clone()}</p>
            {parameters}
            {answers}
        </section>
    }
    .into_any()
}

fn parameter(v: &Visit, parameter: &Parameter) -> AnyView {
    let place = if parameter.in_path { v.t.docs_in_path } else { v.t.docs_in_query };
    view! {
        <tr>
            <th scope="row"><code>{parameter.name.clone()}</code></th>
            <td>{kind(&parameter.kind)} " " <small>{place}</small></td>
            <td lang="en">{parameter.description.clone()}</td>
        </tr>
    }
    .into_any()
}

fn shape(v: &Visit, shape: &Shape) -> AnyView {
    let t = v.t;
    let fields = shape.fields.iter().map(|field| {
        view! {
            <tr>
                <th scope="row"><code>{field.name.clone()}</code></th>
                <td>{kind(&field.kind)}</td>
                <td lang="en">{field.description.clone()}</td>
            </tr>
        }
    });
    let fields = if shape.fields.is_empty() {
        view! { <p>{kind(&shape.kind)}</p> }.into_any()
    } else {
        table(
            &shape.name,
            [t.docs_field, t.docs_type, t.docs_meaning],
            fields.collect_view().into_any(),
        )
    };
    view! {
        <h3 id=shape.name.clone()>{shape.name.clone()}</h3>
        <p lang="en">{shape.description.clone()}</p>
        {fields}
    }
    .into_any()
}

/// A type in words, in which every named type leads to its description.
fn kind(kind: &str) -> AnyView {
    let inner = kind.trim_start_matches('[');
    let (name, rest) = inner.split_at(inner.find([' ', ']']).unwrap_or(inner.len()));
    if !name.starts_with(char::is_uppercase) {
        return view! { <code>{kind.to_owned()}</code> }.into_any();
    }
    let before = kind[..kind.len() - inner.len()].to_owned();
    view! {
        <code>{before} <a href=format!("#{name}")>{name.to_owned()}</a> {rest.to_owned()}</code>
    }
    .into_any()
}

fn table(label: &str, head: [&'static str; 3], rows: AnyView) -> AnyView {
    view! {
        <div class="scroll" role="group" tabindex="0" aria-label=label.to_owned()>
            <table>
                <thead>
                    <tr>{head.map(|name| view! { <th scope="col">{name}</th> })}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
