//! The sessions in the README are what the program prints. `TRYCMD=overwrite cargo test --test
//! readme` rewrites them.

#[test]
fn the_readme_is_up_to_date() {
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
