//! Estimates against counts of `o200k_base`, taken once with tiktoken. The samples were written for
//! this test and took no part in the fit.

use foldback_tokens::{Heuristic, TokenCounter};

fn count(text: &str) -> u64 {
    Heuristic::default().count_text(text).unwrap().as_u64()
}

#[test]
fn samples_of_every_kind_are_near() {
    for &(kind, text, exact) in SAMPLES {
        let ratio = count(text) as f64 / exact as f64;
        assert!((0.78..=1.25).contains(&ratio), "{kind}: {ratio:.2}");
    }
}

#[test]
fn runs_of_one_character_are_within_three_times() {
    for &(unit, chars_per_token) in RUNS {
        let n_chars = 1_000_000;
        let text = unit.repeat(n_chars / unit.chars().count());
        let ratio = count(&text) as f64 / (n_chars as f64 / chars_per_token);
        assert!((1.0 / 3.0..=3.0).contains(&ratio), "{unit:?}: {ratio:.2}");
    }
}

#[test]
fn blobs_cost_much_more_than_words() {
    let base64 = SAMPLES.iter().find(|sample| sample.0 == "base64").unwrap().1;
    assert!(count(base64) * 2 > base64.len() as u64);
    let name = "getMaximumDraughtOfVesselAtBerth";
    assert!(count(name) * 3 < name.len() as u64, "a long name is no blob");
}

/// A repeated text, and the characters of it that one token holds, measured at 20,000 characters.
const RUNS: &[(&str, f64)] = &[
    ("a", 8.0),
    ("A", 8.0),
    ("b", 4.0),
    ("D", 2.0),
    ("0", 3.0),
    (" ", 127.0),
    ("\t", 16.0),
    ("\n", 16.0),
    ("\r\n", 8.0),
    ("\r", 2.0),
    ("=", 64.0),
    ("-", 64.0),
    (".", 64.0),
    ("#", 64.0),
    ("*", 64.0),
    ("_", 64.0),
    ("+", 32.0),
    ("!", 16.0),
    ("^", 8.0),
    (",", 4.0),
    ("\"", 4.0),
    ("\\", 4.0),
    ("{", 2.0),
    ("\u{1}", 1.0),
    ("\0", 2.0),
    ("\\n", 2.0),
    (" a", 2.0),
    ("\n ", 4.0),
    ("ab", 4.0),
    ("Aa", 2.0),
    ("a1", 1.0),
    ("中", 1.0),
    ("あ", 1.0),
    ("ん", 1.0),
    ("가", 1.0),
    ("я", 2.0),
    ("α", 1.0),
    ("ش", 2.0),
    ("ก", 1.0),
    ("क", 1.0),
    ("א", 1.0),
    ("é", 1.0),
    ("🚚", 0.5),
    ("😀", 1.0),
    ("𝐀", 0.5),
    ("𠀀", 1.0 / 3.0),
    ("─", 16.0),
    ("，", 2.0),
    ("\u{200B}", 4.0),
];

#[rustfmt::skip]
const SAMPLES: &[(&str, &str, u64)] = &[
    ("english", "The harbour master keeps a paper log beside the screen, because the screen has failed him twice this winter. Every vessel is written down with its draught, its berth and the hour of its arrival, and nobody leaves before the page is signed.", 49),
    ("rust", "impl Ledger {\n    /// Adds an entry and returns its position.\n    pub fn push(&mut self, entry: Entry) -> Result<usize, LedgerError> {\n        let index = self.entries.len();\n        if index >= self.capacity {\n            return Err(LedgerError::Full { capacity: self.capacity });\n        }\n        self.entries.push(entry);\n        Ok(index)\n    }\n}\n", 79),
    ("json", "[{\"id\": 4711, \"berth\": \"N-12\", \"draught\": 8.4, \"tags\": [\"bulk\", \"late\"], \"arrived\": \"2026-03-14T05:32:10Z\"}, {\"id\": 4712, \"berth\": \"S-03\", \"draught\": 5.1, \"tags\": [], \"arrived\": null}]", 89),
    ("german", "Der Hafenmeister führt neben dem Bildschirm noch ein Buch aus Papier, weil der Rechner in diesem Winter schon zweimal ausgefallen ist. Jedes Schiff wird mit Tiefgang, Liegeplatz und Ankunftszeit eingetragen, und niemand geht, bevor die Seite unterschrieben ist.", 55),
    ("russian", "Начальник порта ведёт бумажный журнал рядом с экраном, потому что этой зимой экран уже дважды отказывал. Каждое судно записывают с осадкой, причалом и временем прибытия, и никто не уходит, пока страница не подписана.", 62),
    ("chinese", "港务长在屏幕旁边放着一本纸质日志，因为今年冬天屏幕已经坏了两次。每艘船都要记下吃水、泊位和到港时间，页面没有签字之前谁也不能离开。", 55),
    ("japanese", "港長は画面の横に紙の日誌を置いている。この冬、画面が二度も故障したからだ。すべての船について、喫水とバースと到着時刻を書き、ページに署名するまでは誰も帰らない。", 64),
    ("korean", "항만장은 화면 옆에 종이 일지를 둔다. 올겨울에 화면이 두 번이나 고장 났기 때문이다. 모든 배의 흘수와 선석과 도착 시각을 적고, 서명하기 전에는 아무도 퇴근하지 않는다.", 61),
    ("arabic", "يحتفظ مدير الميناء بسجل ورقي بجانب الشاشة لأن الشاشة تعطلت مرتين هذا الشتاء. تسجل كل سفينة مع غاطسها ورصيفها وساعة وصولها، ولا يغادر أحد قبل توقيع الصفحة.", 52),
    ("hindi", "बंदरगाह का प्रमुख स्क्रीन के पास कागज़ की एक बही रखता है, क्योंकि इस सर्दी में स्क्रीन दो बार खराब हो चुकी है। हर जहाज़ का नाम और पहुँचने का समय लिखा जाता है।", 48),
    ("hex", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752\n", 81),
    ("base64", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg3qX8vJ2mQ1zT7bYw0KfLpR4sHd9Nc6UeGx", 83),
    ("log", "2026-03-14T05:32:10.482Z WARN  worker-3 retry=2 queue=inbound msg=\"lease expired\" lease_id=7f3a-19c2 elapsed_ms=30211\n2026-03-14T05:32:11.002Z INFO  worker-3 retry=0 queue=inbound msg=\"lease renewed\" lease_id=7f3a-19c3 elapsed_ms=12\n", 95),
];
