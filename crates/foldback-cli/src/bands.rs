//! Parts of a context as a table with bars.

use std::collections::BTreeMap;

use foldback::model::TokenCount;

use crate::text;

/// How many entries a table shows by name; the others share a row.
const MOST_ROWS: usize = 12;
/// The columns of a row, in characters: with the space between them it fits a terminal of 88.
const NAME_WIDTH: usize = 36;
const NUMBER_WIDTH: usize = 10;
const PERCENT_WIDTH: usize = 7;
const BAR_WIDTH: u64 = 24;

/// The bands of a composition under a title, largest first.
pub(crate) fn bands(title: &str, bands: &BTreeMap<String, TokenCount>, total: u64) -> String {
    table(title, bands.iter().map(|(name, tokens)| (name.as_str(), *tokens)).collect(), total)
}

/// The largest entries, each with a bar.
pub(crate) fn table(title: &str, mut entries: Vec<(&str, TokenCount)>, total: u64) -> String {
    entries.retain(|(_, tokens)| *tokens > TokenCount::ZERO);
    entries.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    if entries.is_empty() {
        return String::new();
    }
    let mut table = format!("\n{title}\n");
    let rest: u64 = entries.iter().skip(MOST_ROWS).map(|(_, tokens)| tokens.as_u64()).sum();
    for (name, tokens) in entries.iter().take(MOST_ROWS) {
        table += &row(&text::line(name, NAME_WIDTH), tokens.as_u64(), total);
    }
    if rest > 0 {
        table += &row(&format!("({} more)", entries.len() - MOST_ROWS), rest, total);
    }
    table
}

fn row(name: &str, tokens: u64, total: u64) -> String {
    let pad = NAME_WIDTH.saturating_sub(name.chars().count());
    format!(
        "  {name}{}{:>NUMBER_WIDTH$} {:>PERCENT_WIDTH$}  {}\n",
        " ".repeat(pad),
        text::number(tokens),
        text::percent(tokens, total),
        text::bar(tokens, total, BAR_WIDTH)
    )
}
