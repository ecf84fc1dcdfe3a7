//! What stands around and between the messages of a file, from which the file is put together again.
//!
//! The messages themselves are not kept here: each keeps its own JSON.

use std::sync::Arc;

use crate::list::range_of;

/// What stands around the list of messages.
#[derive(Clone, Debug)]
pub(crate) enum Envelope {
    /// A wire format: the list goes back to where it stood.
    Spliced(Surroundings),
    /// A log, or a conversion: the request has to be made. A limit of the reply that the file states is
    /// carried over, as JSON text.
    Made { max_tokens: Option<String> },
}

/// A file without its messages.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    /// All in front of the list, the mark of the byte order included.
    head: Arc<str>,
    list: Shape,
    /// All behind the list.
    tail: Arc<str>,
}

#[derive(Clone, Debug)]
enum Shape {
    /// A list: the space inside its brackets, and what stands between its elements.
    List { before: Arc<str>, gaps: Gaps, after: Arc<str>, n_elements: usize },
    /// One text or one content without a list around it, as it came.
    Single(Arc<str>),
}

/// What stands between two elements. Hardly any file has more than one kind of gap.
#[derive(Clone, Debug)]
enum Gaps {
    Same(Arc<str>),
    Each(Arc<[Box<str>]>),
}

impl Surroundings {
    /// What stands around `elements`, the elements of `list`, which is a piece of `text`.
    pub(crate) fn of_list(text: &str, list: &str, elements: &[&str]) -> Self {
        let inner = |element: &str| range_of(list, element);
        let (start, end) = match (elements.first(), elements.last()) {
            (Some(first), Some(last)) => (inner(first).start, inner(last).end),
            _ => (list.len() - 1, list.len() - 1),
        };
        let gaps = elements.windows(2).map(|pair| &list[inner(pair[0]).end..inner(pair[1]).start]);
        let shape = Shape::List {
            before: list[1..start].into(),
            gaps: Gaps::of(gaps),
            after: list[end..list.len() - 1].into(),
            n_elements: elements.len(),
        };
        Self::around(text, list, shape)
    }

    /// What stands around `single`, a piece of `text` in the place of a list.
    pub(crate) fn of_single(text: &str, single: &str) -> Self {
        Self::around(text, single, Shape::Single(single.into()))
    }

    fn around(text: &str, list: &str, shape: Shape) -> Self {
        let range = range_of(text, list);
        Self { head: text[..range.start].into(), list: shape, tail: text[range.end..].into() }
    }

    /// The value that stood in the place of a list.
    pub(crate) fn single(&self) -> Option<&str> {
        match &self.list {
            Shape::Single(json) => Some(json),
            Shape::List { .. } => None,
        }
    }

    /// The file with an empty list.
    pub(crate) fn emptied(&self) -> String {
        self.with("[]")
    }

    /// The file as it came, if its list is `single`.
    pub(crate) fn with(&self, single: &str) -> String {
        [&self.head, single, &self.tail].concat()
    }

    /// The file with `elements` in the place of those that were read. If they are the same ones, so is
    /// the file, byte for byte.
    pub(crate) fn fill(&self, elements: &[&str]) -> String {
        match (&self.list, elements) {
            (Shape::Single(single), [only]) if **single == **only => self.with(single),
            (Shape::List { before, n_elements: 0, .. }, []) => self.joined(before, elements, |_| "", ""),
            (_, []) => self.emptied(),
            (Shape::Single(_) | Shape::List { n_elements: 0, .. }, _) => {
                self.joined("", elements, |_| ",", "")
            }
            (Shape::List { before, gaps, after, n_elements }, _) => {
                let is_other = *n_elements != elements.len();
                self.joined(before, elements, |index| gaps.get(if is_other { 0 } else { index }), after)
            }
        }
    }

    fn joined<'a>(
        &'a self,
        before: &'a str,
        elements: &[&'a str],
        gap: impl Fn(usize) -> &'a str,
        after: &'a str,
    ) -> String {
        let mut pieces = Vec::with_capacity(2 * elements.len() + 5);
        pieces.extend([&*self.head, "[", before]);
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                pieces.push(gap(index - 1));
            }
            pieces.push(element);
        }
        pieces.extend([after, "]", &*self.tail]);
        pieces.concat()
    }
}

impl Gaps {
    fn of<'a>(mut gaps: impl Iterator<Item = &'a str> + Clone) -> Self {
        let all = gaps.clone();
        let first = gaps.next().unwrap_or(",");
        if gaps.all(|gap| gap == first) {
            Self::Same(first.into())
        } else {
            Self::Each(all.map(Box::from).collect())
        }
    }

    fn get(&self, index: usize) -> &str {
        match self {
            Self::Same(gap) => gap,
            Self::Each(gaps) => gaps.get(index).map_or(",", |gap| gap),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn check(text: &str, elements: &[&str], expected: &str) {
        let list = &text[text.find('[').unwrap()..=text.rfind(']').unwrap()];
        let around = Surroundings::of_list(text, list, &json::list(list).unwrap());
        assert_eq!(around.fill(elements), expected);
    }

    #[test]
    fn the_same_elements_make_the_same_file() {
        check("[ 1 ,2,\n3\t]\n", &["1", "2", "3"], "[ 1 ,2,\n3\t]\n");
        check("{\"a\" : [1, 2, 3 ]}", &["1", "2", "3"], "{\"a\" : [1, 2, 3 ]}");
        check("{\"a\": [ ]} ", &[], "{\"a\": [ ]} ");
        check("[\n 1\n]", &["1"], "[\n 1\n]");
    }

    #[test]
    fn other_elements_stand_apart_as_the_first_two_did() {
        check("[ 1 ,2,\n3\t]", &["1", "3"], "[ 1 ,3\t]");
        check("[ 1 ,2,\n3\t]", &["1", "2", "3", "4"], "[ 1 ,2 ,3 ,4\t]");
        check("[ ]", &["1", "2"], "[1,2]");
        check("[ 1 ]", &["1", "2"], "[ 1,2 ]");
        check("[ 1 ]", &[], "[]");
    }

    #[test]
    fn a_single_value_becomes_a_list_when_it_changes() {
        let text = "{\"a\": {\"b\":1} }";
        let around = Surroundings::of_single(text, &text[6..13]);
        assert_eq!(around.fill(&["{\"b\":1}"]), text);
        assert_eq!(around.fill(&["2"]), "{\"a\": [2] }");
        assert_eq!(around.fill(&[]), "{\"a\": [] }");
    }
}
