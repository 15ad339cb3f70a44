//! The script with which others verify an export, as it stands in the documentation.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use model::UnixSeconds;
use store::Store;

const DOCUMENT: &str = include_str!("../../../docs/history.md");

/// The only Python in the document.
pub fn script() -> &'static str {
    DOCUMENT.split("```python\n").nth(1).unwrap().split_once("```").unwrap().0
}

/// What the script says of an export: its last line, and whether it is content.
pub fn run(export: &str, noted_head: Option<&str>) -> (bool, String) {
    static FILES: AtomicU32 = AtomicU32::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let path: PathBuf =
        std::env::temp_dir().join(format!("ohlas-export-{}-{number}.jsonl", std::process::id()));
    std::fs::write(&path, export).unwrap();
    let output = Command::new("python3")
        .args(["-I", "-c", script()])
        .arg(&path)
        .args(noted_head)
        .output()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).unwrap();
    (output.status.success(), said.trim_end().lines().last().unwrap_or_default().to_owned())
}

/// The stretch as `ohlas export` writes it.
pub async fn export(store: &Store, from: Option<UnixSeconds>, to: Option<UnixSeconds>) -> String {
    let mut text = String::new();
    let written = store
        .export(from, to, |line, done, total| -> Result<(), store::Error> {
            assert!(done <= total);
            text.push_str(line);
            text.push('\n');
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(written, text.lines().count() as i64);
    text
}
