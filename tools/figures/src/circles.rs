//! Files that use each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use crate::sources::Source;

/// The path of a module: `formats`, `pi`.
type Module = Vec<String>;

/// The circles, each with the names of its files. A module and what is below it are one family: only circles that hold two files
/// of one room count.
pub(crate) fn circles(sources: &[&Source]) -> Vec<Vec<String>> {
    let modules: BTreeMap<Module, usize> =
        sources.iter().enumerate().map(|(at, source)| (module(&source.name), at)).collect();
    let mut uses: Vec<BTreeSet<usize>> = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let mut reader = Reader { own: module(&source.name), found: Vec::new() };
        reader.visit_file(&source.syntax);
        let used = reader.found.iter().filter_map(|path| file_of(path, &modules));
        uses.push(used.filter(|other| *other != at).collect());
    }
    let mut circles = Vec::new();
    let mut seen = BTreeSet::new();
    let reached: Vec<BTreeSet<usize>> = (0..sources.len()).map(|at| reach(at, &uses)).collect();
    for at in 0..sources.len() {
        if seen.contains(&at) {
            continue;
        }
        let circle: Vec<usize> =
            reached[at].iter().copied().filter(|other| reached[*other].contains(&at)).collect();
        if circle.len() > 1 {
            seen.extend(circle.iter().copied());
            circles.push(circle.iter().map(|other| sources[*other].name.clone()).collect());
        }
    }
    circles
}

/// The files that are used by a file, and by those, and so on.
fn reach(from: usize, uses: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for other in &uses[at] {
            if reached.insert(*other) {
                open.push(*other);
            }
        }
    }
    reached
}

fn module(name: &str) -> Module {
    let mut parts: Module = name.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// The file of the longest beginning of a path that is one.
fn file_of(path: &[String], modules: &BTreeMap<Module, usize>) -> Option<usize> {
    (1..=path.len()).rev().find_map(|length| modules.get(&path[..length]).copied())
}

struct Reader {
    own: Module,
    found: Vec<Module>,
}

impl Reader {
    /// Notes a path that begins with `crate`, `self` or `super`.
    fn path(&mut self, names: &[String]) {
        let mut base = self.own.clone();
        let mut rest = names;
        match names.first().map(String::as_str) {
            Some("crate") => {
                base.clear();
                rest = &names[1..];
            }
            Some("self") => rest = &names[1..],
            Some("super") => {
                while rest.first().is_some_and(|name| name == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            _ => return,
        }
        base.extend(rest.iter().cloned());
        self.found.push(base);
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.path(before);
                before.pop();
            }
            syn::UseTree::Rename(name) => {
                before.push(name.ident.to_string());
                self.path(before);
                before.pop();
            }
            syn::UseTree::Glob(_) => self.path(before),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(tree, before);
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.path(&names);
        visit::visit_path(self, path);
    }
}
