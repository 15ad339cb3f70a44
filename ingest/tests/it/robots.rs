//! How long what robots.txt says is believed.

use std::sync::Arc;

use ingest::gate::{Gate, UNREACHABLE_SECONDS, VALID_SECONDS};
use ingest::web::WebError;
use model::{SourceId, Verdict};

use crate::play::{Play, answer};

#[tokio::test]
async fn an_unreachable_file_is_asked_for_again_after_an_hour() {
    let robots = "https://news.example/robots.txt";
    let mut play = Play::default();
    play.fail(robots, WebError::Timeout(20));
    play.answer(robots, answer(404, &[], ""));
    let gate = Gate::new(Arc::new(play), "ExampleNewsBot/1.0");
    let url = "https://news.example/feed".parse().unwrap();
    let judge = async |at| gate.check(SourceId(1), &url, at).await;
    assert_eq!(judge(0).await.check.verdict, Verdict::Unreachable);
    assert_eq!(judge(UNREACHABLE_SECONDS - 1).await.check.verdict, Verdict::Unreachable);
    let open = judge(UNREACHABLE_SECONDS).await;
    assert_eq!(open.check.verdict, Verdict::Allowed);
    assert_eq!(open.check.valid_until, UNREACHABLE_SECONDS + VALID_SECONDS);
    assert!(open.permit.is_some());
}
