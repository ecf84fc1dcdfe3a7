//! The floors of the workspace: a crate depends only on crates of lower floors, and the lower floors
//! know nothing of the world.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::cargo::{Package, cargo, metadata, output};

/// A crate may depend only on crates of lower floors.
const FLOORS: &[(&str, u8)] = &[
    ("foldback-model", 0),
    ("foldback-tokens", 1),
    ("foldback-wire", 1),
    ("foldback-plan", 2),
    ("foldback-testkit", 3),
    ("foldback-summarize", 4),
    ("foldback-compact", 5),
    ("foldback", 7),
    ("foldback-cli", 8),
];

/// Members that nothing depends on and that may depend on everything.
const EXEMPT: &[&str] = &["foldback-tests", "xtask"];

/// Below this floor, nothing of [`IMPURE`] may stand anywhere in the normal dependency tree.
const FIRST_IMPURE_FLOOR: u8 = 3;

/// Async, sockets and randomness: the core does without.
const IMPURE: &[&str] =
    &["tokio", "async-trait", "futures-core", "reqwest", "hyper", "mio", "socket2", "rand", "getrandom"];

/// Below this floor, nothing of [`NETWORKED`] may stand in the tree.
const FIRST_NETWORKED_FLOOR: u8 = 6;

/// A runtime and HTTP: only what talks to providers has a use for them.
const NETWORKED: &[&str] = &["tokio", "reqwest", "hyper"];

/// Every dependency that points up or sideways, every crate without a floor, and every impure crate
/// in the tree of a floor that must do without. Empty if all is well; if cargo itself fails, that is
/// the one error.
#[must_use]
pub fn layering_errors() -> Vec<String> {
    find_errors().unwrap_or_else(|error| vec![format!("{error:#}")])
}

fn find_errors() -> Result<Vec<String>> {
    let metadata = metadata()?;
    let floors: BTreeMap<&str, u8> = FLOORS.iter().copied().collect();
    let mut errors = edge_errors(&metadata.packages, &floors);
    let present: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    for (&name, &floor) in &floors {
        if !present.contains(name) {
            errors.push(format!(
                "`{name}` has a floor and is no member: remove it from FLOORS in xtask/src/layers.rs"
            ));
        } else if floor < FIRST_NETWORKED_FLOOR {
            errors.extend(tree_errors(name, floor, &tree_of(name)?));
        }
    }
    Ok(errors)
}

fn edge_errors(packages: &[Package], floors: &BTreeMap<&str, u8>) -> Vec<String> {
    let mut errors = Vec::new();
    for package in packages.iter().filter(|package| !EXEMPT.contains(&package.name.as_str())) {
        let Some(&own) = floors.get(package.name.as_str()) else {
            errors.push(format!("`{}` has no floor: add it to FLOORS in xtask/src/layers.rs", package.name));
            continue;
        };
        let inner = package.dependencies.iter().filter(|dependency| dependency.path.is_some());
        for dependency in inner.filter(|dependency| dependency.kind.as_deref() != Some("dev")) {
            // A dependency without a floor is reported as a member, or is exempt and no library.
            let floor = floors.get(dependency.name.as_str()).copied().unwrap_or(u8::MAX);
            if floor >= own {
                errors.push(format!(
                    "`{}` (floor {own}) depends on `{}` ({}): move what it needs to a lower floor, \
                     or take it as an argument",
                    package.name,
                    dependency.name,
                    if floor == u8::MAX { "no floor".to_owned() } else { format!("floor {floor}") },
                ));
            }
        }
    }
    errors
}

fn tree_errors(name: &str, floor: u8, tree: &BTreeSet<String>) -> Vec<String> {
    let impure = IMPURE.iter().filter(|_| floor < FIRST_IMPURE_FLOOR);
    let forbidden: BTreeSet<&str> = impure.chain(NETWORKED).copied().collect();
    forbidden
        .into_iter()
        .filter(|krate| tree.contains(*krate))
        .map(|krate| {
            format!(
                "`{krate}` is in the tree of `{name}` (floor {floor}): \
                 `cargo tree --package {name} --edges normal --all-features --invert {krate}` shows how; \
                 drop it, or move what needs it to a higher floor"
            )
        })
        .collect()
}

/// The names of all crates that `name` needs to run, itself included.
fn tree_of(name: &str) -> Result<BTreeSet<String>> {
    let tree = output(cargo(&[
        "tree",
        "--package",
        name,
        "--edges",
        "normal",
        "--all-features",
        "--prefix",
        "none",
    ]))?;
    Ok(tree.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::Dependency;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependency = |&(name, kind): &(&str, Option<&str>)| Dependency {
            name: name.to_owned(),
            kind: kind.map(str::to_owned),
            path: name.starts_with("foldback").then(|| name.into()),
        };
        Package {
            name: name.to_owned(),
            dependencies: dependencies.iter().map(dependency).collect(),
            features: BTreeMap::new(),
        }
    }

    fn check(name: &str, dependencies: &[(&str, Option<&str>)], expected: &[&str]) {
        let floors = FLOORS.iter().copied().collect();
        let errors = edge_errors(&[package(name, dependencies)], &floors);
        assert_eq!(errors.len(), expected.len(), "{errors:?}");
        for (error, expected) in errors.iter().zip(expected) {
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn arrows_may_point_down() {
        check("foldback-plan", &[("foldback-model", None), ("foldback-tokens", None), ("serde", None)], &[]);
    }

    #[test]
    fn arrows_up_and_sideways_are_errors() {
        check(
            "foldback-tokens",
            &[("foldback-wire", None)],
            &["(floor 1) depends on `foldback-wire` (floor 1)"],
        );
        check("foldback-model", &[("foldback-compact", Some("build"))], &["(floor 5)"]);
        check("foldback-model", &[("foldback-tests", None)], &["(no floor)"]);
    }

    #[test]
    fn tests_may_use_any_floor() {
        check("foldback-plan", &[("foldback-testkit", Some("dev"))], &[]);
        check("foldback-tests", &[("foldback-cli", None)], &[]);
    }

    #[test]
    fn a_crate_without_a_floor_is_an_error() {
        check("foldback-new", &[], &["`foldback-new` has no floor"]);
    }

    #[test]
    fn impurity_is_found_below_its_floor_only() {
        let tree = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(tree_errors("foldback-plan", 2, &tree(&["serde", "rand"])).len(), 1);
        assert_eq!(tree_errors("foldback-testkit", 3, &tree(&["serde", "rand"])), Vec::<String>::new());
        assert_eq!(tree_errors("foldback-compact", 5, &tree(&["tokio"])).len(), 1);
    }
}
