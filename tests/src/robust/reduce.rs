//! Makes an input that breaks a law smaller.

/// The smallest input found that still `fails`, by leaving out ever smaller pieces.
pub fn reduced(bytes: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut smallest = bytes.to_vec();
    let mut piece = smallest.len() / 2;
    while piece > 0 {
        let before = smallest.len();
        let mut at = 0;
        while at < smallest.len() {
            let end = (at + piece).min(smallest.len());
            let rest = [&smallest[..at], &smallest[end..]].concat();
            if fails(&rest) {
                smallest = rest;
            } else {
                at = end;
            }
        }
        // Single bytes are tried again as long as that helps.
        if piece > 1 || smallest.len() == before {
            piece /= 2;
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_does_not_matter_goes() {
        let fails = |bytes: &[u8]| bytes.windows(2).any(|two| two == b"{}") && bytes.contains(&b'x');
        assert_eq!(super::reduced(b"[1, {}, \"yyxy\", 2]", fails), b"{}x");
    }
}
