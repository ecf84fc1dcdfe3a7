//! The floors of the workspace; `cargo xtask layers` asks the same.

#[test]
fn dependencies_point_down() {
    assert_eq!(xtask::layering_errors(), Vec::<String>::new());
}
