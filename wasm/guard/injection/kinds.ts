// The kinds of prompt injection, numbered in the order of their names.

/** The kinds of this scanner begin here, see wasm/guard/kinds.ts. */
export const FIRST_KIND: u32 = 64;

/** A canary of the request stands in what a model wrote. */
export const CANARY_LEAKED: u32 = 64;
/** Asks for the system prompt or for a secret of the model. */
export const EXTRACTION: u32 = 65;
/** Text that nobody sees and the model reads tells it what to do. */
export const HIDDEN_INSTRUCTION: u32 = 66;
/** Gives the model a character without rules. */
export const JAILBREAK: u32 = 67;
/** The model says so, and no rule. */
export const MODEL: u32 = 68;
/** Tells the model to put its instructions aside. */
export const OVERRIDE: u32 = 69;
/** Turns tools, turns of the conversation or the page against the user. */
export const TOOL_HIJACK: u32 = 70;
/** One past the last. */
export const LAST_KIND: u32 = 71;

/** The name of a kind, as findings carry it. */
export function injectionName(kind: u32): string {
  switch (kind) {
    case CANARY_LEAKED:
      return 'canary_leaked';
    case EXTRACTION:
      return 'extraction';
    case HIDDEN_INSTRUCTION:
      return 'hidden_instruction';
    case JAILBREAK:
      return 'jailbreak';
    case MODEL:
      return 'model';
    case OVERRIDE:
      return 'override';
    default:
      return 'tool_hijack';
  }
}
