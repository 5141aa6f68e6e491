//! The sessions in the README are what the program prints. `TRYCMD=overwrite cargo test --test readme` writes them anew.

#[test]
fn the_readme_is_true() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("CI", "false")
        .env(
            "XDG_STATE_HOME",
            std::env::temp_dir()
                .join("transcript-doctor-readme")
                .display()
                .to_string(),
        )
        .case("README.md");
}
