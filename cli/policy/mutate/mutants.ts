// Makes the mutants of a policy: every small change of a rule that its tests should notice.
import type { AstModule } from '../../../runtime/modules/rego-ast.ts';
import { ruleMutants } from './rule-mutants.ts';
import { termMutants } from './term-mutants.ts';
import { type Edit, SourceText } from './text.ts';

/** One changed source. */
export interface Mutant {
  file: string;
  /** Counts from 1. */
  row: number;
  /** The text of the row before the change. */
  source: string;
  /** What was changed, in words. */
  mutation: string;
  content: string;
}

/** Takes a change that begins at a row; `mutation` says what it is. */
export type Report = (row: number, mutation: string, edits: Edit[]) => void;

/**
 * Lists the mutants of one source, by the places in its syntax tree and in their order; two that give
 * the same text are one. Metadata and the texts of messages are left alone: they decide nothing.
 */
export function mutantsOf(file: string, content: string, module: AstModule): Mutant[] {
  const text = new SourceText(content);
  const mutants = new Map<string, Mutant>();
  const report: Report = (row, mutation, edits) => {
    const changed = text.apply(edits);
    if (changed === content || mutants.has(changed)) return;
    mutants.set(changed, { file, row, source: text.line(row), mutation, content: changed });
  };
  const rules = module.rules ?? [];
  for (const rule of rules) termMutants(text, rule, report);
  ruleMutants(text, rules, report);
  return [...mutants.values()].sort((a, b) => a.row - b.row);
}
