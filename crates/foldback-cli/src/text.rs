//! Small pieces of plain text output.

/// A bar of at most `width` cells for `part` of `whole`.
pub(crate) fn bar(part: u64, whole: u64, width: u64) -> String {
    let eighths = if whole == 0 { 0 } else { (part * width * 8).div_ceil(whole).min(width * 8) };
    let mut bar = "█".repeat(usize::try_from(eighths / 8).unwrap_or_default());
    bar.push_str(["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][usize::try_from(eighths % 8).unwrap_or_default()]);
    bar
}

/// `part` of `whole` in percent.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0 %".to_owned();
    }
    // Tenths of a percent, rounded.
    let tenths = (u128::from(part) * 2_000 + u128::from(whole)) / (u128::from(whole) * 2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// A number with its thousands apart.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// The line that says how many lines of a log were skipped; nothing if none was.
pub(crate) fn skipped(lines: usize) -> String {
    match lines {
        0 => String::new(),
        1 => "skipped 1 damaged line\n".to_owned(),
        n => format!("skipped {n} damaged lines\n"),
    }
}

/// `text` without what could steer a terminal or turn its writing around: names, ids and roles are
/// other people's text.
pub(crate) fn harmless(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(|&c| !steers(c)).collect()
}

/// At most `width` characters of one line of `text`, without control characters.
pub(crate) fn line(text: &str, width: usize) -> String {
    let mut words = text.split_whitespace();
    let mut line = String::new();
    for word in words.by_ref() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| !c.is_control()));
        if line.chars().count() > width {
            break;
        }
    }
    if line.chars().count() > width {
        line = line.chars().take(width.saturating_sub(1)).collect::<String>() + "…";
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(number(0), "0");
        assert_eq!(number(1_234_567), "1 234 567");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(0, 0), "0 %");
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2J\u{202E}b\n\0c"), "a[2Jb\nc");
    }

    #[test]
    fn a_bar_is_never_wider_than_asked() {
        assert_eq!(bar(10, 10, 4), "████");
        assert_eq!(bar(1, 1_000_000, 4), "▏");
        assert_eq!(bar(0, 10, 4), "");
    }

    #[test]
    fn a_line_is_cut_on_a_character() {
        assert_eq!(line("ééé ééé", 4), "ééé…");
        assert_eq!(line("a\n\x1b[31m b", 10), "a [31m b");
    }
}
