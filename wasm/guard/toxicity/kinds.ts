// The kind of the Toxicity scanner.

/** An insult, a threat, a slur or an obscenity at somebody; see wasm/guard/kinds.ts. */
export const ABUSE: u32 = 20;
