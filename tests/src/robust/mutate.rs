//! Changes to an input: of its bytes, of its lines, and of its JSON.

use std::ops::Range;

use foldback_testkit::SplitMix64;

use super::spans::Spans;

/// Changes `bytes` once. `other` is another input that something may be taken from.
pub(super) fn mutate(bytes: &mut Vec<u8>, other: &[u8], numbers: &mut SplitMix64) {
    // Text that is no JSON any more tells little: most changes leave it JSON.
    match numbers.below(20) {
        0 => change_bytes(bytes, numbers),
        1 => change_frame(bytes, numbers),
        2..=4 => change_lines(bytes, other, numbers),
        _ => change_json(bytes, other, numbers),
    }
}

fn change_bytes(bytes: &mut Vec<u8>, numbers: &mut SplitMix64) {
    if bytes.is_empty() {
        return;
    }
    let at = numbers.below(bytes.len());
    let end = (at + 1 + numbers.below(40)).min(bytes.len());
    match numbers.below(6) {
        0 => bytes[at] ^= 1 << numbers.below(8),
        1 => bytes.truncate(at),
        2 => drop(bytes.drain(at..end)),
        3 => insert(bytes, at, &[0]),
        4 => insert(bytes, at, &[0xC3, 0x28, 0xFF]),
        _ => {
            let piece = bytes[at..end].to_vec();
            insert(bytes, at, &piece);
        }
    }
}

/// What editors and programs do to a whole file.
fn change_frame(bytes: &mut Vec<u8>, numbers: &mut SplitMix64) {
    match numbers.below(4) {
        0 => insert(bytes, 0, "\u{FEFF}".as_bytes()),
        1 => {
            let text: Vec<u8> = bytes
                .iter()
                .flat_map(|&byte| [b'\r', byte].into_iter().skip(usize::from(byte != b'\n')))
                .collect();
            *bytes = text;
        }
        2 => bytes.extend_from_slice(b"\n\n  \r\n"),
        _ => insert(bytes, 0, b" \n\t"),
    }
}

fn change_lines(bytes: &mut Vec<u8>, other: &[u8], numbers: &mut SplitMix64) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let others: Vec<&[u8]> = other.split_inclusive(|&byte| byte == b'\n').collect();
    if lines.len() < 2 || others.is_empty() {
        return change_json(bytes, other, numbers);
    }
    let at = numbers.below(lines.len());
    match numbers.below(5) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(numbers.below(lines.len() + 1), lines[at]),
        2 => {
            let to = numbers.below(lines.len());
            lines.swap(at, to);
        }
        3 => lines.insert(at, others[numbers.below(others.len())]),
        // A program that was stopped while it wrote.
        _ => lines[at] = &lines[at][..numbers.below(lines[at].len())],
    }
    *bytes = lines.concat();
}

fn change_json(bytes: &mut Vec<u8>, other: &[u8], numbers: &mut SplitMix64) {
    let spans = Spans::of(bytes);
    match numbers.below(14) {
        0..=2 => replace(bytes, &spans.values, &odd_value(numbers), numbers),
        3 => replace(bytes, &spans.values, &long_or_deep(bytes, &spans, numbers), numbers),
        4 => {
            // A value of another conversation, be it of the same kind or not.
            let values = Spans::of(other).values;
            if let Some(range) = pick(&values, numbers) {
                replace(bytes, &spans.values, &other[range], numbers);
            }
        }
        5 => {
            // Two values of this conversation.
            if let Some(range) = pick(&spans.values, numbers) {
                let value = bytes[range].to_vec();
                replace(bytes, &spans.values, &value, numbers);
            }
        }
        6 => replace(bytes, &spans.keys, &odd_key(bytes, &spans, numbers), numbers),
        7 => repeat(bytes, &spans.members, numbers),
        8 | 9 => repeat(bytes, &spans.elements, numbers),
        10 => remove(bytes, &spans.members, numbers),
        11 => remove(bytes, &spans.elements, numbers),
        12 => wrap(bytes, &spans, numbers),
        _ => add_member(bytes, &spans, other, numbers),
    }
}

fn pick(ranges: &[Range<usize>], numbers: &mut SplitMix64) -> Option<Range<usize>> {
    ranges.get(numbers.below(ranges.len())).cloned()
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

fn replace(bytes: &mut Vec<u8>, places: &[Range<usize>], value: &[u8], numbers: &mut SplitMix64) {
    if let Some(range) = pick(places, numbers) {
        bytes.splice(range, value.iter().copied());
    }
}

/// Writes a member or an element once more behind itself, so that a name stands twice.
fn repeat(bytes: &mut Vec<u8>, places: &[Range<usize>], numbers: &mut SplitMix64) {
    let Some(range) = pick(places, numbers) else { return };
    let mut piece = vec![b','];
    piece.extend_from_slice(&bytes[range.clone()]);
    let n = if numbers.one_in(16) { 20 } else { 1 };
    if piece.len() * n < 4 << 10 {
        insert(bytes, range.end, &piece.repeat(n));
    }
}

/// Takes out a member or an element, with one comma beside it.
fn remove(bytes: &mut Vec<u8>, places: &[Range<usize>], numbers: &mut SplitMix64) {
    let Some(mut range) = pick(places, numbers) else { return };
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    let behind = range.end + bytes[range.end..].iter().take_while(|byte| is_space(byte)).count();
    let before = range.start - bytes[..range.start].iter().rev().take_while(|byte| is_space(byte)).count();
    if bytes.get(behind) == Some(&b',') {
        range.end = behind + 1;
    } else if before > 0 && bytes[before - 1] == b',' {
        range.start = before - 1;
    }
    bytes.drain(range);
}

/// Puts a value into lists or objects, under a name that the text knows: a block inside a block, ever
/// deeper.
fn wrap(bytes: &mut Vec<u8>, spans: &Spans, numbers: &mut SplitMix64) {
    let (Some(range), Some(key)) = (pick(&spans.values, numbers), pick(&spans.keys, numbers)) else { return };
    let key = bytes[key].to_vec();
    let (front, back) = match numbers.below(3) {
        0 => (vec![b'['], b"]".as_slice()),
        1 => ([b"{", key.as_slice(), b":"].concat(), b"}".as_slice()),
        _ => ([b"[{", key.as_slice(), b":"].concat(), b"}]".as_slice()),
    };
    let n = depth(numbers).min((8 << 10) / (front.len() + back.len()));
    let wrapped = [&front.repeat(n), &bytes[range.clone()], &back.repeat(n)].concat();
    bytes.splice(range, wrapped);
}

/// Copies a member of another conversation into an object of this one.
fn add_member(bytes: &mut Vec<u8>, spans: &Spans, other: &[u8], numbers: &mut SplitMix64) {
    let members = Spans::of(other).members;
    let (Some(range), Some(member)) = (pick(&spans.members, numbers), pick(&members, numbers)) else {
        return;
    };
    let member = [&other[member], b","].concat();
    insert(bytes, range.start, &member);
}

/// Mostly shallow; now and then deeper than any parser's stack should go.
fn depth(numbers: &mut SplitMix64) -> usize {
    match numbers.below(12) {
        0 => 1 + numbers.below(2000),
        1 | 2 => 1 + numbers.below(200),
        _ => 1 + numbers.below(4),
    }
}

fn long_or_deep(bytes: &[u8], spans: &Spans, numbers: &mut SplitMix64) -> Vec<u8> {
    let n = depth(numbers);
    let long = |piece: &str| format!("\"{}\"", piece.repeat(n)).into_bytes();
    match numbers.below(6) {
        0 => format!("{}{}", "[".repeat(n), "]".repeat(n)).into_bytes(),
        // Never closed.
        1 if numbers.one_in(4) => "[".repeat(n).into_bytes(),
        1 => format!("[{}1]", "1,".repeat(n)).into_bytes(),
        2 => long("iVBORw0KGgo"),
        3 => long("\\u0000\\\""),
        4 => long("日本 "),
        _ => {
            let key = pick(&spans.keys, numbers).map_or(b"\"a\"".as_slice(), |range| &bytes[range]);
            let n = n.min((8 << 10) / (key.len() + 3));
            [[b"{", key, b":"].concat().repeat(n), b"{}".to_vec(), b"}".repeat(n)].concat()
        }
    }
}

fn odd_key(bytes: &[u8], spans: &Spans, numbers: &mut SplitMix64) -> Vec<u8> {
    match pick(&spans.keys, numbers) {
        Some(range) if !numbers.one_in(4) => bytes[range].to_vec(),
        _ => ODD_KEYS[numbers.below(ODD_KEYS.len())].as_bytes().to_vec(),
    }
}

fn odd_value(numbers: &mut SplitMix64) -> Vec<u8> {
    ODD_VALUES[numbers.below(ODD_VALUES.len())].as_bytes().to_vec()
}

/// Names with escapes, without letters, and of other formats.
const ODD_KEYS: [&str; 9] = [
    r#""""#,
    r#""a""#,
    r#""\u0072ole""#,
    r#""\ud83d""#,
    r#""\u0000""#,
    r#""content ""#,
    r#""cache_control""#,
    r#""metadata""#,
    r#""thoughtSignature""#,
];

/// Values of every kind, and those that parsers differ about.
const ODD_VALUES: [&str; 44] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "1.5",
    "1e400",
    "-1e-400",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775807",
    "-9223372036854775808",
    "4294967295",
    "123456789012345678901234567890",
    "NaN",
    r#""""#,
    r#"" ""#,
    r#""\n""#,
    r#""a""#,
    r#""1""#,
    r#""\u0000""#,
    r#""\ud83d""#,
    r#""\ude00\ud83d""#,
    r#""\ud83d\ude00""#,
    r#""\ud83dx\\""#,
    r#""\uFEFF""#,
    "\"\u{FEFF}\"",
    "\"\u{2028}\u{85}\"",
    "\"\u{7f}\"",
    "\"\t\"",
    r#""data:image/png;base64,AAAA""#,
    r#""data:,""#,
    r#""<summary>x</summary>""#,
    "[]",
    "{}",
    "[[]]",
    "[{}]",
    "[null]",
    "[1,2]",
    r#"{"":{}}"#,
    r#"[{"type":"text","text":"x"}]"#,
    r#"{"type":"tool_use","id":"x"}"#,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_changes_leave_json() {
        let text =
            br#"{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null}]}"#;
        let mut numbers = SplitMix64::new(3);
        let mut json = 0;
        for _ in 0..1_000 {
            let mut bytes = text.to_vec();
            mutate(&mut bytes, text, &mut numbers);
            json += usize::from(serde_json::from_slice::<&serde_json::value::RawValue>(&bytes).is_ok());
        }
        assert!((700..990).contains(&json), "{json} of 1000");
    }

    #[test]
    fn any_bytes_can_be_changed() {
        let mut numbers = SplitMix64::new(5);
        for text in [b"".as_slice(), b"\"", b"\n", b"\xFF\xFE", b"[", b"{\"a\":", b"}\n}\n"] {
            for _ in 0..500 {
                mutate(&mut text.to_vec(), text, &mut numbers);
            }
        }
    }

    #[test]
    fn an_element_is_taken_out_with_its_comma() {
        for _ in 0..20 {
            let mut bytes = b"[1 , 2]".to_vec();
            let spans = Spans::of(&bytes);
            remove(&mut bytes, &spans.elements, &mut SplitMix64::new(1));
            assert!(matches!(bytes.as_slice(), b"[ 2]" | b"[1 ]"), "{}", String::from_utf8_lossy(&bytes));
        }
    }
}
