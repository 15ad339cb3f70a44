//! One at a time per host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::OwnedMutexGuard;
use url::Url;

use super::{Request, Response, Web, WebError};

/// Who may deal with a host; the others wait.
#[derive(Default)]
pub struct Turns(Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>);

impl Turns {
    /// Waits for its turn at the address's host, which lasts until the guard is dropped.
    pub async fn at(&self, url: &Url) -> OwnedMutexGuard<()> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let turn = {
            let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // What nobody holds or waits for is forgotten.
            hosts.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(hosts.entry(host).or_default())
        };
        turn.lock_owned().await
    }
}

/// A web in which no host is asked twice at the same time, whatever for: feeds, the targets of their
/// redirects, and the gate's documents.
pub struct OneAtATime {
    web: Arc<dyn Web>,
    turns: Turns,
}

impl OneAtATime {
    #[must_use]
    pub fn new(web: Arc<dyn Web>) -> Self {
        Self { web, turns: Turns::default() }
    }
}

#[async_trait]
impl Web for OneAtATime {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        let _turn = self.turns.at(&request.url).await;
        self.web.get(request).await
    }
}
