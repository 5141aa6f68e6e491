//! Replaces the names of people in paths and text.

use std::borrow::Cow;

use memchr::memmem;

/// Account names that do not identify a person.
const NOBODY: &[&str] =
    &["root", "user", "admin", "runner", "ubuntu", "home", "build", "builder", "vagrant", "node"];

/// Folders that contain the homes of users.
const HOMES: &[&str] = &["home", "Users"];

/// How hosts spell those folders in folder names.
const HOME_WORDS: [&str; 2] = ["-home-", "-Users-"];

/// The names that are always replaced: the user's and that of their home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct People {
    home: Option<String>,
    users: Vec<String>,
}

impl People {
    /// For a run: the path of the user's home, and the user's login names.
    pub fn new(home: Option<String>, users: Vec<String>) -> People {
        let home = home
            .map(|home| home.trim_end_matches(['/', '\\']).to_owned())
            .filter(|home| home.len() > 1);
        let last =
            home.as_deref().and_then(|home| home.rsplit(['/', '\\']).next()).map(str::to_owned);
        let mut users: Vec<String> = users.into_iter().chain(last).collect();
        users
            .retain(|user| user.len() > 2 && !NOBODY.contains(&user.to_ascii_lowercase().as_str()));
        users.sort();
        users.dedup();
        People { home, users }
    }

    /// The rest of a path after the user's home; empty for the home itself.
    pub fn below_home<'a>(&self, path: &'a str) -> Option<&'a str> {
        let rest = path.strip_prefix(self.home.as_deref()?)?;
        (rest.is_empty() || rest.starts_with(['/', '\\'])).then_some(rest)
    }

    /// The rest of a path after any home: `/home/ana`, `C:\Users\ana`, `/root`.
    pub fn below_a_home<'a>(&self, path: &'a str) -> Option<&'a str> {
        if let Some(rest) = self.below_home(path) {
            return Some(rest);
        }
        let mut at = 0;
        let mut is_homes = false;
        for (number, part) in path.split(['/', '\\']).enumerate() {
            let end = at + part.len();
            if is_homes && !part.is_empty() {
                return path.get(end..);
            }
            // The homes are below the root, a drive, or a mount point of another system.
            if number > 4 || (number == 0 && !part.is_empty() && !part.ends_with(':')) {
                return None;
            }
            if number == 1 && part == "root" && at == 1 {
                return path.get(end..);
            }
            is_homes |= HOMES.contains(&part);
            at = end + 1;
        }
        None
    }

    /// Replaces the user's names by `user` if they are whole words, also in `-home-ana-shop`, as
    /// some hosts name folders.
    pub fn replace_words<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for user in &self.users {
            if let Some(changed) = replace_word(&out, user) {
                out = Cow::Owned(changed);
            }
        }
        for homes in HOME_WORDS {
            if let Some((front, rest)) = out.split_once(homes) {
                let end = rest.find(['-', '/', '\\']).unwrap_or(rest.len());
                let whole_word = front.is_empty() || front.ends_with(['/', '\\', '-', ':']);
                if end > 0 && whole_word {
                    out =
                        Cow::Owned(format!("{front}{homes}user{}", rest.get(end..).unwrap_or("")));
                }
            }
        }
        out
    }

    /// Whether a text contains no name to replace.
    pub fn leaves(&self, text: &str) -> bool {
        let names = self.home.iter().chain(&self.users).map(String::as_str);
        let mut all = names.chain(HOME_WORDS);
        let text_bytes = text.as_bytes();
        // Most IDs lack a letter of each name, which is found out faster than that they lack the name.
        !all.any(|name| {
            name.bytes().all(|byte| memchr::memchr(byte, text_bytes).is_some())
                && memmem::find(text_bytes, name.as_bytes()).is_some()
        }) || self.replace(text) == text
    }

    /// Replaces the home by `~` and the names by `user`.
    pub fn replace(&self, text: &str) -> String {
        let text = match &self.home {
            Some(home) => text.replace(home.as_str(), "~"),
            None => text.to_owned(),
        };
        self.replace_words(&text).into_owned()
    }
}

/// Replaces a whole word; `None` if the text does not contain it.
fn replace_word(text: &str, word: &str) -> Option<String> {
    let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut out = String::new();
    let mut done = 0;
    for (at, found) in text.match_indices(word) {
        let end = at + found.len();
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(end..).and_then(|after| after.chars().next());
        if at >= done && !inside(before) && !inside(after) {
            out.push_str(text.get(done..at)?);
            out.push_str("user");
            done = end;
        }
    }
    (done > 0).then(|| out + text.get(done..).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ana() -> People {
        People::new(
            Some("/srv/people/ana/".into()),
            vec!["amaier".into(), "root".into(), "x".into()],
        )
    }

    #[test]
    fn homes_are_found_in_front_of_paths() {
        let below = |path: &'static str| ana().below_a_home(path);
        assert_eq!(below("/srv/people/ana/x"), Some("/x"));
        assert_eq!(below("/srv/people/anabel"), None);
        assert_eq!(below("/home/bob/x/y"), Some("/x/y"));
        assert_eq!(below("/Users/bob"), Some(""));
        assert_eq!(below(r"C:\Users\bob\x"), Some(r"\x"));
        assert_eq!(below("/mnt/c/Users/bob/x"), Some("/x"));
        assert_eq!(below("/root/x"), Some("/x"));
        for path in ["/home", "/opt/x", "home/bob", "/a/b/c/d/e/home/x", "", "/rooted/x"] {
            assert_eq!(below(path), None, "{path}");
        }
    }

    #[test]
    fn names_are_replaced_as_words() {
        let words = |text: &str| ana().replace_words(text).into_owned();
        assert_eq!(words("/var/amaier/ana-7/banana"), "/var/user/user-7/banana");
        assert_eq!(words("-home-bob-shop"), "-home-user-shop");
        assert_eq!(words("root x"), "root x");
        assert_eq!(ana().replace("cannot read /srv/people/ana/x"), "cannot read ~/x");
    }
}
