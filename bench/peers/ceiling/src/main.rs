//! The native ceiling: the same rules with Rust's aho-corasick and regex, as a program that is asked for texts.
use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use std::io::{BufRead, Write};
use std::time::Instant;

#[derive(Deserialize)]
struct Rule {
    keywords: Vec<String>,
    pattern: String,
}

/// Usage: ceiling RULES; reads the path of a text a line, answers `{"ns":…,"findings":…}`.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("RULES is needed")?;
    let rules: Vec<Rule> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let mut keywords = Vec::new();
    let mut owners = Vec::new();
    let mut patterns: Vec<Regex> = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        patterns.push(RegexBuilder::new(&rule.pattern).size_limit(1 << 26).build()?);
        for keyword in &rule.keywords {
            keywords.push(keyword.clone());
            owners.push(number);
        }
    }
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(&keywords)?;
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let text = std::fs::read(line?)?;
        let started = Instant::now();
        let mut seen = vec![false; rules.len()];
        for found in automaton.find_overlapping_iter(&text) {
            seen[owners[found.pattern().as_usize()]] = true;
        }
        let mut findings = 0;
        for (number, rule) in rules.iter().enumerate() {
            if seen[number] || rule.keywords.is_empty() {
                findings += patterns[number].find_iter(&text).count();
            }
        }
        writeln!(out, "{{\"ns\":{},\"findings\":{findings}}}", started.elapsed().as_nanos())?;
        out.flush()?;
    }
    Ok(())
}
