// Asks a person at a terminal: for a value that is not shown, or for a yes.
import { createInterface } from 'node:readline/promises';

const ctrlC = '\u0003';
const ctrlD = '\u0004';

/** Reads one line without showing it; Ctrl-C ends the command as it would anywhere. */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Raw first: what is typed before would be shown.
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stderr.write(question);
  let line: string[] = [];
  try {
    for await (const typed of stdin as AsyncIterable<string>) {
      for (const character of typed) {
        if (character === ctrlC) {
          stdin.setRawMode(false);
          process.exit(130);
        }
        if (character === '\r' || character === '\n' || character === ctrlD) return line.join('');
        if (character === '\u007f' || character === '\b') line = line.slice(0, -1);
        else line.push(character);
      }
    }
    return line.join('');
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

/** Whether the answer to a question is yes. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
