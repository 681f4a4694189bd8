// What a kind of finding is called for people, where its format is described, and what to do about it.
import { parse } from 'yaml';
import type { ScannerName } from '../../runtime/modules/guard.ts';
import type { RuleSource } from '../../wasm/guard/compiler/rules.ts';
import { shippedRules } from '../../wasm/guard/compiler/rules-section.ts';

export interface Title {
  title: string;
  docs?: string;
}

interface RuleText {
  id?: unknown;
  kind?: unknown;
  title?: unknown;
  docs?: unknown;
}

/** Kinds that many rules share, each in a language of its own, and some that no rule names. */
const SHARED: Readonly<Record<string, string>> = {
  canary_leaked: 'a word planted in the prompt',
  email: 'email address',
  extraction: 'asks for the system prompt or for a secret',
  hidden_instruction: 'hidden text that tells the model what to do',
  jailbreak: 'gives the model a character without rules',
  model: 'reads like an attack, by the model alone',
  override: 'tells the model to put its instructions aside',
  phone: 'telephone number',
  ssn: 'US social security number',
  tool_hijack: 'turns tools or the conversation against the user',
};

/** Titles by kind, of the guard's own rules and of these; the first rule of a kind names it. */
export function titlesOf(rules: readonly RuleSource[] = []): ReadonlyMap<string, Title> {
  const titles = new Map<string, Title>(
    Object.entries(SHARED).map(([kind, title]) => [kind, { title }]),
  );
  for (const { text } of [...rules, ...shippedRules()]) {
    const file = parse(text) as { rules?: RuleText[] } | null;
    for (const { id, kind = id, title, docs } of file?.rules ?? []) {
      if (typeof kind !== 'string' || titles.has(kind) || typeof title !== 'string') continue;
      titles.set(kind, { title, ...(typeof docs === 'string' ? { docs } : {}) });
    }
  }
  return titles;
}

/** The title of a kind; one that no rule names is its own name. */
export function titleOf(titles: ReadonlyMap<string, Title>, kind: string): Title {
  return titles.get(kind) ?? { title: kind.replaceAll('_', ' ') };
}

/** What to do about a finding, one sentence a scanner. */
export const ADVICE: Readonly<Record<ScannerName, string>> = {
  Secrets:
    'take it out of the text, revoke it where it was issued, and keep the new one in the vault',
  PII: 'take it out, or put a placeholder in its place',
  InvisibleText: 'delete the characters, which a person does not see and a model reads',
  PromptInjection: 'do not hand this to a model as if a person had said it',
  Toxicity: 'write it another way',
  Relevance: 'the response answers something else than was asked',
  TopicBoundary: 'keep to the topics that are allowed',
  TokenLimit: 'make the text shorter',
};
