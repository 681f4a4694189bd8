// Reads the tokens of an encoding, in the order of their rank, from the text that js-tiktoken carries.

/** Each line is `! OFFSET TOKEN…`: tokens in base64, the first with the rank OFFSET. */
export function tokensOf(ranks: string): Uint8Array[] {
  const tokens: Uint8Array[] = [];
  for (const line of ranks.split('\n').filter((each) => each !== '')) {
    const [, offset, ...words] = line.split(' ');
    words.forEach((word, i) => {
      tokens[Number(offset) + i] = new Uint8Array(Buffer.from(word, 'base64'));
    });
  }
  for (let rank = 0; rank < tokens.length; rank++) {
    const length = tokens[rank]?.length ?? 0;
    if (length === 0 || length > 255) throw new Error(`the token ${rank} has ${length} bytes`);
  }
  return tokens;
}
