// Finds the decisions in what somebody pasted: a row of the evidence, one decision of it, or a list of either.
import { InputError } from '../../../../runtime/errors.ts';
import type { RowDecision } from '../../../../runtime/evidence/row.ts';
import { isJsonObject } from '../../../../runtime/json.ts';

const DECISIONS_MAX = 64;
const texts = ['id', 'boundary', 'module', 'module_digest', 'policy_revision', 'data_revision'];

/**
 * The decisions of a pasted text.
 * @throws InputError `input_not_json`, or `input_invalid` for JSON that holds no decision
 */
export function decisionsIn(text: string): RowDecision[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InputError('input_not_json', 'what was pasted is not JSON', { cause });
  }
  const found = decisionsOf(value);
  if (found.length === 0) {
    throw new InputError('input_invalid', 'there is no decision in what was pasted', {
      hint: 'paste a row of the evidence, or one of its decisions; platform audit --show prints them',
    });
  }
  if (found.length > DECISIONS_MAX) {
    throw new InputError('input_too_large', `more than ${DECISIONS_MAX} decisions were pasted`);
  }
  return found;
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
