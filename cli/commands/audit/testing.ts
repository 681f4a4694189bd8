// Runs `platform audit` in this process, as a user's command line, and gives what it printed.
import { stripVTControlCharacters } from 'node:util';
import { audit } from '../audit.ts';

/** The exit code, or the code of the error, and the standard output without its colours. */
export async function runAuditCommand(
  args: string[],
): Promise<{ code: number | string; out: string }> {
  const write = process.stdout.write;
  let out = '';
  process.stdout.write = ((text: string) => {
    out += text;
    return true;
  }) as typeof process.stdout.write;
  try {
    const code = await audit.run(args);
    return { code, out: stripVTControlCharacters(out) };
  } catch (error) {
    return {
      code: (error as { code?: string }).code ?? String(error),
      out: stripVTControlCharacters(out),
    };
  } finally {
    process.stdout.write = write;
  }
}
