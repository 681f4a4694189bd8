// `platform guard canary`: a word to plant in a prompt, which no response may carry.
import { randomBytes } from 'node:crypto';
import type { Command } from '../../command.ts';
import { parseOptions } from '../../options.ts';

const help = `Usage
  platform guard canary [--json]

Prints a word that nobody can guess. Plant it in a system prompt, and name it in "canaries" of
POST /api/v1/scan/output, or of scan_output of the SDKs: a response that carries it gave the prompt away.

Options
  --json      {"canary": word}

Exit codes
  0 printed, 2 wrong command line

Examples
  platform guard canary`;

export const canaryVerb: Command = {
  name: 'canary',
  summary: 'make a word to plant in a prompt, which no response may carry',
  help,
  async run(argv) {
    const { values } = parseOptions(argv, { json: { type: 'boolean' } });
    const canary = `canary-${randomBytes(12).toString('hex')}`;
    process.stdout.write(`${values.json ? JSON.stringify({ canary }) : canary}\n`);
    return 0;
  },
};
