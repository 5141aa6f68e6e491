//! The files of `src/`.

use std::path::{Path, PathBuf};

/// A file of the program.
pub(crate) struct Source {
    /// Below `src/`, with `/`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// Without what is compiled for tests only.
    pub(crate) syntax: syn::File,
    /// A file that only tests use.
    pub(crate) is_test: bool,
}

pub(crate) fn read(root: &Path) -> Result<Vec<Source>, String> {
    let mut paths = Vec::new();
    list(root, &mut paths)?;
    paths.sort();
    paths.iter().map(|path| source(root, path)).collect()
}

fn list(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            list(&path, paths)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            paths.push(path);
        }
    }
    Ok(())
}

fn source(root: &Path, path: &Path) -> Result<Source, String> {
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
    let mut syntax = syn::parse_file(&text).map_err(|error| told(&error))?;
    syntax.items.retain(|item| !is_for_tests(attributes(item)));
    let below = path.strip_prefix(root).unwrap_or(path);
    let names: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    let name = names.join("/");
    let is_test = name.ends_with("tests.rs") || names.iter().any(|part| part == "tests");
    Ok(Source { name, text, syntax, is_test })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        list.path.is_ident("cfg") && list.tokens.to_string() == "test"
    })
}
