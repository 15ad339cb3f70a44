//! Prints headlines and ledes to read: `cargo run -p demo --example headlines -- cs 60`.

use demo::{Language, Plan};

/// 2026-03-02T00:00:00Z, a Monday.
const START: i64 = 1_772_409_600;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let code = arguments.next();
    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(60);
    let plan = Plan::generate(1, START, 3);
    let stories = plan.stories(START, START + 3 * 86_400);
    let languages = Language::ALL.into_iter();
    for language in languages.filter(|l| code.as_ref().is_none_or(|code| code == l.code())) {
        let own: Vec<_> = stories
            .iter()
            .filter(|story| plan.newsrooms()[story.newsroom].language == language)
            .filter(|story| story.copy_of.is_none())
            .collect();
        let step = (own.len() / count).max(1);
        for story in own.into_iter().step_by(step).take(count) {
            let name = plan.newsrooms()[story.newsroom].name;
            for wording in &story.wordings {
                println!("{}\n  {}\n  — {name}\n", wording.title, wording.lede);
            }
        }
    }
}
