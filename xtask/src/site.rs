//! The files that the server hands out: the bundle of islands, the style, `public/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

use crate::shell::{Workspace, run, step};

/// What the server's pages call the bundle.
const NAME: &str = "ohlas";

/// What rustc emits for the browser's target: wasm-opt must keep to it.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Path inside `dist/` → the file it is a copy of.
type Files = BTreeMap<PathBuf, PathBuf>;

/// `optimiser`: the wasm-opt to run, if any.
pub fn build(workspace: &Workspace, optimiser: Option<&Path>) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--package", "frontend", "--profile", "wasm-release"]);
    cargo.args(["--target", "wasm32-unknown-unknown"]);
    step("the islands", || run(&mut cargo))?;

    let wasm = workspace.target.join("wasm32-unknown-unknown/wasm-release/frontend.wasm");
    let bundle = bundle(workspace, &wasm, optimiser)?;

    let mut files = Files::new();
    collect(&bundle, Path::new("pkg"), &mut files)?;
    collect(&workspace.root.join("public"), Path::new(""), &mut files)?;
    let style = workspace.root.join("style/main.css");
    files.insert(Path::new("pkg").join(NAME).with_extension("css"), style);
    mirror(&files, &workspace.dist())
}

/// The browser's module and its JavaScript, made anew when the input or the optimiser changed.
fn bundle(workspace: &Workspace, wasm: &Path, optimiser: Option<&Path>) -> Result<PathBuf> {
    let scratch = workspace.scratch("bundle");
    let pkg = scratch.join("pkg");
    let input = fs::metadata(wasm).with_context(|| wasm.display().to_string())?;
    let stamp = format!("{:?} {} {}", input.modified()?, input.len(), optimiser.is_some());
    let stamp_file = scratch.join("stamp");
    if fs::read_to_string(&stamp_file).is_ok_and(|made_from| made_from == stamp) {
        return Ok(pkg);
    }
    if scratch.exists() {
        fs::remove_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
    }
    step("the bundle", || {
        Bindgen::new()
            .input_path(wasm)
            .out_name(NAME)
            .web(true)?
            .typescript(false)
            .remove_name_section(true)
            .remove_producers_section(true)
            .generate(&pkg)?;
        let module = pkg.join(format!("{NAME}_bg.wasm"));
        if let Some(wasm_opt) = optimiser {
            let mut node = Command::new("node");
            node.arg(wasm_opt).arg(&module).arg("-o").arg(&module).arg("-Oz").args(WASM_FEATURES);
            run(&mut node)?;
        }
        eprintln!("   {} KB", fs::metadata(&module)?.len() / 1000);
        Ok(())
    })?;
    fs::write(&stamp_file, stamp).with_context(|| stamp_file.display().to_string())?;
    Ok(pkg)
}

fn collect(from: &Path, to: &Path, files: &mut Files) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (path, place) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            collect(&path, &place, files)?;
        } else {
            files.insert(place, path);
        }
    }
    Ok(())
}

/// Makes `dist` hold exactly `files`. What is the same stays untouched: a running server hands it
/// out, and browsers keep it by its time.
fn mirror(files: &Files, dist: &Path) -> Result<()> {
    let mut present = Files::new();
    if dist.exists() {
        collect(dist, Path::new(""), &mut present)?;
    }
    for (place, path) in &present {
        if !files.contains_key(place) {
            fs::remove_file(path).with_context(|| path.display().to_string())?;
        }
    }
    for (place, source) in files {
        let content = fs::read(source).with_context(|| source.display().to_string())?;
        let file = dist.join(place);
        if fs::read(&file).is_ok_and(|old| old == content) {
            continue;
        }
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        fs::write(&file, content).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_adds_replaces_removes_and_leaves_the_rest_alone() {
        let scratch = std::env::temp_dir().join(format!("xtask-site-{}", std::process::id()));
        let (source, dist) = (scratch.join("source"), scratch.join("dist"));
        let write = |dir: &Path, file: &str, text: &str| {
            fs::create_dir_all(dir.join(file).parent().unwrap()).unwrap();
            fs::write(dir.join(file), text).unwrap();
        };
        write(&source, "same", "1");
        write(&source, "pkg/changed", "new");
        write(&source, "pkg/added", "2");
        write(&dist, "same", "1");
        write(&dist, "pkg/changed", "old");
        write(&dist, "stale", "3");
        let before = fs::metadata(dist.join("same")).unwrap().modified().unwrap();

        let mut files = Files::new();
        collect(&source, Path::new(""), &mut files).unwrap();
        mirror(&files, &dist).unwrap();

        let mut present = Files::new();
        collect(&dist, Path::new(""), &mut present).unwrap();
        let names: Vec<_> = present.keys().map(|place| place.to_str().unwrap()).collect();
        let changed = fs::read_to_string(dist.join("pkg/changed")).unwrap();
        let after = fs::metadata(dist.join("same")).unwrap().modified().unwrap();
        fs::remove_dir_all(&scratch).unwrap();
        assert_eq!(names, ["pkg/added", "pkg/changed", "same"]);
        assert_eq!(changed, "new");
        assert_eq!(before, after);
    }
}
