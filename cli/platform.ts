// The entry of the `platform` command: declares the commands and hands over to one of them.
import { createRequire } from 'node:module';
import meow from 'meow';
import { commands } from './commands/index.ts';
import { EXIT_USAGE, reportFailure } from './failure.ts';
import { suggest } from './suggest.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
const commandByName = new Map(commands.map((command) => [command.name, command]));

const overview = `
  Usage
    platform <command> [options]

  Commands
${commands.map(({ name, summary }) => `    ${name.padEnd(12)}${summary}`).join('\n')}

  Options
    --help      show this, or with a command what it does and examples
    --version   show the version

  Exit codes
    0 done, 1 failed, 2 wrong command line, 69 no platform is running; a command's help lists its own

  Examples
    platform up
    platform run agent.py --tenant acme
    platform approvals list`;

/** Runs the command that `argv` names and resolves to its exit code. */
export async function main(argv: string[]): Promise<number> {
  const word = argv.find((argument) => !argument.startsWith('-'));
  if (word !== undefined && !commandByName.has(word)) {
    const meant = suggest(word, [...commandByName.keys()]);
    const hint = meant === undefined ? 'see: platform --help' : `did you mean: platform ${meant}`;
    process.stderr.write(`error there is no command "${word}"\n  ${hint}\n`);
    return EXIT_USAGE;
  }
  const cli = meow(overview, {
    importMeta: import.meta,
    version: `platform ${version}`,
    argv,
    description: 'Policy-as-code and a WebAssembly data plane for AI agents',
    commands: [...commandByName.keys()],
    allowUnknownFlags: false,
  });
  const command = commandByName.get(cli.command ?? '');
  if (command === undefined) {
    process.stdout.write(`${cli.help}\n`);
    return EXIT_USAGE;
  }
  const rest = [...cli.input];
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  const verb = command.verbs?.find(({ name }) => name === own[0]);
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(`${(verb ?? command).help}\n`);
    return 0;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    const name = verb === undefined ? command.name : `${command.name} ${verb.name}`;
    return reportFailure(error, name, own.includes('--json'));
  }
}

// Who reads only the beginning, such as `head`, ends the output; that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
