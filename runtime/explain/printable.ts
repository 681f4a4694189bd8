// Makes untrusted text harmless where it is shown: nothing in it can steer a terminal or turn a line around.

/** Control, format and separator characters as `\u{…}`; everything else as it is. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
