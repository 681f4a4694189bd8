//! regorus, as a program that the benchmark asks for batches.
use regorus::{Engine, Value};
use std::io::{BufRead, Write};
use std::time::Instant;

/// Usage: regorus-bench POLICY DATA INPUTS; standard input and output as those of bench/peers/opa.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().collect();
    let mut engine = Engine::new();
    engine.add_policy("policy.rego".to_string(), std::fs::read_to_string(&paths[1])?)?;
    engine.add_data(Value::from_json_str(&std::fs::read_to_string(&paths[2])?)?)?;
    let inputs = Value::from_json_str(&std::fs::read_to_string(&paths[3])?)?;
    let inputs = inputs.as_array()?.clone();
    let mut decide = |number: usize| -> Result<Value, Box<dyn std::error::Error>> {
        engine.set_input(inputs[number % inputs.len()].clone());
        Ok(engine.eval_rule("data.bench.decision".to_string())?)
    };
    let mut next = 0;
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line == "answers" {
            let mut answers = Vec::new();
            for number in 0..inputs.len() {
                answers.push(decide(number)?);
            }
            writeln!(out, "{}", json_of(&answers)?)?;
        } else {
            let count: usize = line.parse()?;
            let started = Instant::now();
            for _ in 0..count {
                decide(next)?;
                next += 1;
            }
            writeln!(out, "{}", started.elapsed().as_nanos())?;
        }
        out.flush()?;
    }
    Ok(())
}

fn json_of(answers: &[Value]) -> Result<String, Box<dyn std::error::Error>> {
    let texts: Result<Vec<String>, _> = answers.iter().map(|answer| answer.to_json_str()).collect();
    Ok(format!("[{}]", texts?.join(",").replace('\n', "")))
}
