// Lists the kinds of credential that the guard finds, from the rules, for docs/reference/.
import { basename } from 'node:path';
import type { Rule } from '../wasm/guard/compiler/rules.ts';
import { readRules } from '../wasm/guard/compiler/rules-read.ts';
import { shippedRules } from '../wasm/guard/compiler/rules-section.ts';
import { CHECK_NAMES } from '../wasm/guard/engine/checks/names.ts';

/** What a check is called in the table. */
const CHECKED: Record<string, string> = {
  bech32: 'checksum',
  github_crc32: 'checksum',
  gitlab_crc32: 'checksum',
  grafana_crc32: 'checksum',
  jwt: 'header decoded',
  pem_body: 'body',
  pypi_macaroon: 'structure',
  basic_auth: 'decoded',
};

/** A table of kinds for each file of rules. */
export function secretKinds(): string {
  const sources = shippedRules().filter(({ file }) => file.includes('/rules/secrets/'));
  const sections = sources.map((source) => {
    const about = source.text.slice(2, source.text.indexOf('\n'));
    const rows = readRules([source]).map(row).join('\n');
    const heading = basename(source.file, '.yaml').replaceAll('-', ' ');
    return `## ${heading}\n\n${about}\n\n| kind | finds | checked | format |\n|---|---|---|---|\n${rows}\n`;
  });
  return sections.join('\n');
}

function row({ kind, title, check, docs }: Rule): string {
  const checked = CHECKED[CHECK_NAMES[check - 1] ?? ''] ?? '';
  const format = docs === undefined ? '' : `[stated here](${docs})`;
  return `| \`${kind}\` | ${title.replaceAll('|', '\\|')} | ${checked} | ${format} |`;
}
