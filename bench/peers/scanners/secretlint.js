// secretlint with its recommended rules, as a program that is asked for texts: the path of one a line.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';

const id = '@secretlint/secretlint-rule-preset-recommend';
const config = { rules: [{ id, rule: creator, options: {} }] };

for await (const filePath of createInterface({ input: process.stdin })) {
  const content = readFileSync(filePath, 'utf8');
  const source = { filePath: 'text.txt', content, ext: '.txt', contentType: 'text' };
  const started = process.hrtime.bigint();
  const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
  const ns = Number(process.hrtime.bigint() - started);
  console.log(JSON.stringify({ ns, findings: messages.length }));
}
