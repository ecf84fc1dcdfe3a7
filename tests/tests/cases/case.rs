//! A case folder: its input, once for each variant and sweep, and its properties.

use std::path::Path;

use foldback_model::WireFormat;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::directives::{expand, sweep};
use crate::scripted::Script;

/// A situation and what is expected of it.
pub(crate) struct Case {
    pub(crate) properties: Vec<Property>,
    pub(crate) inputs: Vec<(RunName, Input)>,
}

/// Case, variant and sweep of one run.
#[derive(Clone)]
pub(crate) struct RunName {
    pub(crate) variant: Option<String>,
    pub(crate) full: String,
}

/// One expectation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Property {
    pub(crate) check: String,
    #[serde(default)]
    pub(crate) args: Value,
    pub(crate) says: String,
    #[serde(default)]
    pub(crate) level: Level,
    /// The variants concerned; all, if there are none.
    #[serde(default)]
    pub(crate) only: Vec<String>,
}

#[derive(Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    #[default]
    Must,
    Aim,
}

/// `expected.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(rename = "id")]
    _id: String,
    properties: Vec<Property>,
    // Notes of those who wrote the cases.
    #[serde(default, rename = "naive_may_pass")]
    _naive_may_pass: bool,
    #[serde(default, rename = "self_check")]
    _self_check: Value,
}

/// `input.json` after expansion. A key that is not known here is an error: nothing that a case
/// asks for is overlooked.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(rename = "id")]
    _id: String,
    #[serde(rename = "format")]
    _format: u32,
    #[serde(default, rename = "name")]
    _name: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) wire: WireFormat,
    /// Formats that the result is written in as well.
    #[serde(default)]
    pub(crate) to: Vec<WireFormat>,
    pub(crate) request: Option<Value>,
    /// The body as text, in place of `request`.
    pub(crate) raw_request: Option<String>,
    #[serde(default)]
    pub(crate) settings: Settings,
    pub(crate) summarizer: Option<Script>,
    #[serde(default)]
    pub(crate) state: State,
    /// The caller's focus text.
    pub(crate) instructions: Option<String>,
    /// Messages that arrive when the compaction is over.
    #[serde(default)]
    pub(crate) then_append: Vec<Value>,
    /// For a chain: what is appended before each compaction, a message or a list of them.
    #[serde(default)]
    pub(crate) rounds: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Kind {
    #[serde(rename = "compact")]
    Compact,
    #[serde(rename = "compact-chain")]
    Chain,
    #[serde(rename = "convert")]
    Convert,
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    pub(crate) context_window_tokens: Option<u64>,
    pub(crate) reserve_tokens: u64,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) trigger_ratio: Option<f64>,
    pub(crate) keep_recent_tokens: u64,
    pub(crate) require_reduction: bool,
    pub(crate) estimator: Option<String>,
    // Whether it fits is told by the outcome.
    #[serde(rename = "must_fit_budget")]
    _must_fit_budget: bool,
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct State {
    pub(crate) summary: Option<String>,
    pub(crate) pinned: Vec<usize>,
    pub(crate) pending_calls: Vec<String>,
    // For the reader of the case.
    #[serde(rename = "kept_by_previous")]
    _kept_by_previous: Vec<usize>,
}

impl Case {
    /// The case in `folder`, whose name begins the names of its runs.
    pub(crate) fn load(folder: &Path) -> Self {
        let expected: Expected = from_value(json(&folder.join("expected.json")), "expected.json");
        let input = json(&folder.join("input.json"));
        let id = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let mut inputs = Vec::new();
        for (variant, input) in variants(input) {
            for (swept, input) in sweep(&input) {
                let names = [Some(id.clone()), variant.clone(), Some(swept).filter(|name| !name.is_empty())];
                let full = names.into_iter().flatten().collect::<Vec<_>>().join("/");
                let input = from_value(expand(&input), &full);
                inputs.push((RunName { variant: variant.clone(), full }, input));
            }
        }
        for variant in expected.properties.iter().flat_map(|property| &property.only) {
            let known = inputs.iter().any(|(name, _)| name.variant.as_ref() == Some(variant));
            assert!(known, "{id}: a property is for the variant `{variant}`, which there is not");
        }
        Self { properties: expected.properties, inputs }
    }
}

impl Property {
    pub(crate) fn concerns(&self, run: &RunName) -> bool {
        self.only.is_empty() || run.variant.as_ref().is_some_and(|variant| self.only.contains(variant))
    }
}

/// The input once for each variant: its keys replace those at the top.
fn variants(mut input: Value) -> Vec<(Option<String>, Value)> {
    let top = input.as_object_mut().expect("the input is an object");
    let Some(variants) = top.shift_remove("variants") else {
        return vec![(None, input)];
    };
    let variants = variants.as_array().expect("`variants` is a list").clone();
    let with = |variant: &Value| {
        let mut input = input.clone();
        for (key, value) in variant.as_object().expect("a variant is an object") {
            input[key] = value.clone();
        }
        let name = variant["name"].as_str().expect("a variant has a name").to_owned();
        (Some(name), input)
    };
    variants.iter().map(with).collect()
}

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn from_value<T: DeserializeOwned>(value: Value, whence: &str) -> T {
    serde_json::from_value(value).unwrap_or_else(|error| panic!("{whence}: {error}"))
}
