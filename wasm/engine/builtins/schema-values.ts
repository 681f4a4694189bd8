// JSON Schema's keywords about any value: const, enum and format.

import { equalStrings } from '../compare';
import { asciiString, elementAt, Kind, kindOf, lengthOf } from '../value';
import { draft } from './schema-check';
import { hasFormat } from './schema-formats';
import { member } from './schema-references';
import { addError, count, fieldOf } from './schema-result';
import { comparable, withText } from './schema-text';
import { addAscii, addText, beginText, finishText } from './text-builder';

/** Asks the keywords about a value. */
export function checkValue(schema: u32, value: u32, place: u32): void {
  const constant = draft >= 6 ? member(schema, 'const') : 0;
  if (constant != 0 && !equalStrings(comparable(value), comparable(constant))) {
    addError('const', place, described(place, ' does not match: ', comparable(constant)));
  }
  const choices = member(schema, 'enum');
  if (choices != 0) checkEnum(choices, value, place);
  const format = member(schema, 'format');
  if (format != 0 && kindOf(value) == Kind.String && !hasFormat(format, value)) {
    addError('format', place, withText("Does not match format '", format, "'"));
  }
  count();
}

function described(place: u32, between: string, text: u32): u32 {
  const field = fieldOf(place);
  beginText();
  addText(field);
  addAscii(between);
  addText(text);
  return finishText();
}

function checkEnum(choices: u32, value: u32, place: u32): void {
  const text = comparable(value);
  let all = asciiString('');
  for (let i: u32 = 0; i < lengthOf(choices); i++) {
    const choice = comparable(elementAt(choices, i));
    if (equalStrings(choice, text)) return;
    const before = withText('', all, i == 0 ? '' : ', ');
    beginText();
    addText(before);
    addText(choice);
    all = finishText();
  }
  addError('enum', place, described(place, ' must be one of the following: ', all));
}
