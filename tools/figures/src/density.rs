//! What a reader has to hold in mind a line: tokens, closures, branches, comments.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::sources::Source;

#[derive(Default)]
pub(crate) struct Density {
    /// Lines with a token that is no documentation.
    pub(crate) code_lines: usize,
    pub(crate) tokens: usize,
    /// `let name = |...| ...`.
    pub(crate) closures: usize,
    pub(crate) closures_used_once: usize,
    pub(crate) matches_on_bool: usize,
    /// Lines with nothing but a comment, inside functions.
    pub(crate) comments: usize,
    pub(crate) long_without_comment: usize,
    /// The lines of the longest function.
    pub(crate) longest: usize,
    pub(crate) short_docs: usize,
    pub(crate) small_files: usize,
    pub(crate) long_files: usize,
    /// The number of fields of each struct.
    pub(crate) fields: BTreeMap<String, usize>,
    /// `FILE:LINE: WHAT` of what is counted and could be better.
    pub(crate) places: Vec<String>,
}

impl Density {
    pub(crate) fn add(&mut self, source: &Source) {
        let mut lines = BTreeSet::new();
        for item in &source.syntax.items {
            let tokens = item.to_token_stream();
            self.short_docs(source, tokens.clone());
            self.tokens += count(tokens, &mut lines);
        }
        self.code_lines += lines.len();
        let length = source.text.lines().count();
        if length < 40 {
            self.small_files += 1;
        }
        if length > 400 {
            self.long_files += 1;
            self.place(source, 1, &format!("file of {length} lines"));
        }
        let lines = source.text.lines().collect();
        let mut reader = Reader { density: self, source, lines };
        reader.visit_file(&source.syntax);
    }

    fn place(&mut self, source: &Source, line: usize, what: &str) {
        self.places.push(format!("{}:{line}: {what}", source.name));
    }

    /// Counts the runs of documentation lines with four words or fewer.
    fn short_docs(&mut self, source: &Source, tokens: TokenStream) {
        let mut words = 0;
        for token in tokens {
            match token {
                TokenTree::Group(group) if is_doc(&group) => words += doc_words(&group),
                TokenTree::Punct(mark) if mark.as_char() == '#' => {}
                other => {
                    if (1..=4).contains(&words) {
                        self.short_docs += 1;
                        self.place(source, other.span().start().line, "short doc above");
                    }
                    words = 0;
                    if let TokenTree::Group(group) = other {
                        self.short_docs(source, group.stream());
                    }
                }
            }
        }
    }
}

/// The tokens that are no documentation, and the lines that they are on.
fn count(tokens: TokenStream, lines: &mut BTreeSet<usize>) -> usize {
    let mut number = 0;
    let mut is_after_hash = false;
    for token in tokens {
        let was_after_hash = is_after_hash;
        is_after_hash = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#');
        match token {
            TokenTree::Group(group) if was_after_hash && is_doc(&group) => number -= 1,
            TokenTree::Group(group) => {
                lines.insert(group.span_open().start().line);
                lines.insert(group.span_close().start().line);
                number += 2 + count(group.stream(), lines);
            }
            // The mark of documentation is on the line of its text, which is no code.
            TokenTree::Punct(_) if is_after_hash => number += 1,
            other => {
                lines.insert(other.span().start().line);
                number += 1;
            }
        }
    }
    number
}

fn is_doc(group: &proc_macro2::Group) -> bool {
    let first = group.stream().into_iter().next();
    matches!(first, Some(TokenTree::Ident(name)) if name == "doc")
}

struct Reader<'a> {
    density: &'a mut Density,
    source: &'a Source,
    lines: Vec<&'a str>,
}

impl Reader<'_> {
    fn function(&mut self, body: &syn::Block) {
        let first = body.span().start().line;
        let last = body.span().end().line;
        let inside = self.lines.get(first..last - 1).unwrap_or_default();
        let comments = inside.iter().filter(|line| line.trim_start().starts_with("//")).count();
        let length = last + 1 - first;
        self.density.comments += comments;
        self.density.longest = self.density.longest.max(length);
        if length > 30 && comments == 0 {
            self.density.long_without_comment += 1;
            self.place(first, &format!("function of {length} lines without a comment"));
        }
    }

    /// The closures that the statements of a block give a name, and how often each name is used in it.
    fn closures(&mut self, block: &syn::Block) {
        for statement in &block.stmts {
            let syn::Stmt::Local(local) = statement else {
                continue;
            };
            let Some(init) = &local.init else {
                continue;
            };
            if !matches!(*init.expr, syn::Expr::Closure(_)) {
                continue;
            }
            let syn::Pat::Ident(name) = &local.pat else {
                continue;
            };
            self.density.closures += 1;
            let line = name.ident.span().start().line;
            // Once where it is defined, and once where it is used.
            if occurrences(block.to_token_stream(), &name.ident) <= 2 {
                self.density.closures_used_once += 1;
                self.place(line, &format!("closure {} is used once", name.ident));
            } else {
                self.place(line, &format!("closure {}", name.ident));
            }
        }
    }

    fn place(&mut self, line: usize, what: &str) {
        self.density.place(self.source, line, what);
    }
}

fn doc_words(group: &proc_macro2::Group) -> usize {
    let text = group.stream().into_iter().last().map(|token| token.to_string());
    text.map_or(0, |text| text.trim_matches('"').split_whitespace().count())
}

fn occurrences(tokens: TokenStream, name: &syn::Ident) -> usize {
    let mut number = 0;
    for token in tokens {
        match token {
            TokenTree::Group(group) => number += occurrences(group.stream(), name),
            TokenTree::Ident(other) if other == *name => number += 1,
            _ => {}
        }
    }
    number
}

fn is_bool(pattern: &syn::Pat) -> bool {
    let syn::Pat::Lit(literal) = pattern else {
        return false;
    };
    matches!(literal.lit, syn::Lit::Bool(_))
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.closures(block);
        visit::visit_block(self, block);
    }

    fn visit_expr_match(&mut self, item: &'ast syn::ExprMatch) {
        if item.arms.iter().any(|arm| is_bool(&arm.pat)) {
            self.density.matches_on_bool += 1;
            self.place(item.span().start().line, "`match` on a bool");
        }
        visit::visit_expr_match(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.density.fields.insert(item.ident.to_string(), item.fields.len());
        visit::visit_item_struct(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_holds_in_mind_is_counted() {
        let text = "/// A name.\nfn named(list: &[u8]) -> bool {\n    // Zero ends a name.\n    \
                    let ends = |byte: &&u8| **byte == 0;\n    match list.iter().any(|x| ends(&x)) {\n        \
                    true => false,\n        false => true,\n    }\n}\n";
        let source = Source {
            name: "named.rs".to_owned(),
            text: text.to_owned(),
            syntax: syn::parse_file(text).unwrap(),
            is_test: false,
        };
        let mut density = Density::default();
        density.add(&source);
        assert_eq!((density.closures, density.closures_used_once), (1, 1));
        assert_eq!((density.matches_on_bool, density.comments, density.short_docs), (1, 1, 1));
        assert_eq!((density.code_lines, density.longest), (7, 8));
        let places = [
            "named.rs:2: short doc above",
            "named.rs:4: closure ends is used once",
            "named.rs:5: `match` on a bool",
        ];
        assert_eq!(density.places, places);
    }
}
