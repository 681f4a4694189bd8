// Finds the decisions in what somebody pasted: rows of the evidence, one a line, or decisions, or lists of either.
import { InputError } from '../../../../runtime/errors.ts';
import type { RowDecision } from '../../../../runtime/evidence/row.ts';
import { isJsonObject } from '../../../../runtime/json.ts';

const DECISIONS_MAX = 64;
const texts = ['id', 'boundary', 'module', 'module_digest', 'policy_revision', 'data_revision'];

/**
 * The decisions of a pasted text.
 * @throws InputError `input_invalid` for a text that holds none, `input_too_large` for one that holds too many
 */
export function decisionsIn(text: string): RowDecision[] {
  const value = parsed(text) ?? text.trim().split('\n').map(parsed);
  const found = decisionsOf(value);
  if (found.length === 0) {
    throw new InputError('input_invalid', 'there is no decision in JSON in what was pasted', {
      hint: 'paste a row of the evidence, or one of its decisions; platform audit show --json prints them',
    });
  }
  if (found.length > DECISIONS_MAX) {
    throw new InputError('input_too_large', `more than ${DECISIONS_MAX} decisions were pasted`);
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decisionsOf(value: unknown): RowDecision[] {
  if (Array.isArray(value)) return value.flatMap(decisionsOf);
  if (!isJsonObject(value)) return [];
  if (Array.isArray(value.decisions)) return value.decisions.flatMap(decisionsOf);
  if ('decision' in value) return decisionsOf(value.decision);
  const isDecision =
    texts.every((name) => typeof value[name] === 'string') &&
    value.input !== undefined &&
    value.output !== undefined;
  return isDecision ? [value as unknown as RowDecision] : [];
}
