//! Parts of a context as a table with bars.

use std::collections::BTreeMap;

use foldback::model::TokenCount;

use crate::text;

/// The bands of a composition under a title, largest first.
pub(crate) fn bands(title: &str, bands: &BTreeMap<String, TokenCount>, total: u64) -> String {
    table(title, bands.iter().map(|(name, tokens)| (name.as_str(), *tokens)).collect(), total)
}

/// The largest entries, each with a bar.
pub(crate) fn table(title: &str, mut entries: Vec<(&str, TokenCount)>, total: u64) -> String {
    const MOST: usize = 12;
    entries.retain(|(_, tokens)| *tokens > TokenCount::ZERO);
    entries.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    if entries.is_empty() {
        return String::new();
    }
    let mut table = format!("\n{title}\n");
    let rest: u64 = entries.iter().skip(MOST).map(|(_, tokens)| tokens.as_u64()).sum();
    for (name, tokens) in entries.iter().take(MOST) {
        table += &row(&text::line(name, 36), tokens.as_u64(), total);
    }
    if rest > 0 {
        table += &row(&format!("({} more)", entries.len() - MOST), rest, total);
    }
    table
}

fn row(name: &str, tokens: u64, total: u64) -> String {
    let pad = 36_usize.saturating_sub(name.chars().count());
    format!(
        "  {name}{}{:>10} {:>7}  {}\n",
        " ".repeat(pad),
        text::number(tokens),
        text::percent(tokens, total),
        text::bar(tokens, total, 24)
    )
}
