// `platform completion`: prints a completion script for a shell.
import type { Command } from '../command.ts';
import { parseOptions, UsageError } from '../options.ts';

const help = `Usage
  platform completion bash|zsh

Prints a script that completes commands and options.

Examples
  source <(platform completion bash)
  platform completion zsh > "\${fpath[1]}/_platform"`;

/** What can follow a command's name. */
interface Words {
  name: string;
  verbs: string[];
  options: string[];
}

/** The command, given the words that it is to complete: each command's name, verbs and options. */
export function completionCommand(words: () => Words[]): Command {
  return {
    name: 'completion',
    summary: 'print a completion script for bash or zsh',
    help,
    async run(argv) {
      const shell = parseOptions(argv, {}, 1).positionals[0];
      if (shell !== 'bash' && shell !== 'zsh') throw new UsageError('say which shell: bash or zsh');
      process.stdout.write(shell === 'bash' ? bash(words()) : zsh(words()));
      return 0;
    },
  };
}

function bash(words: Words[]): string {
  const cases = words
    .map(
      ({ name, verbs, options }) =>
        `    ${name}) COMPREPLY=($(compgen -f -W "${[...verbs, ...options].join(' ')}" -- "$word")) ;;`,
    )
    .join('\n');
  return `_platform() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.map(({ name }) => name).join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases}
  esac
}
complete -F _platform platform
`;
}

function zsh(words: Words[]): string {
  const cases = words
    .map(
      ({ name, verbs, options }) =>
        `    ${name}) _values 'word' ${[...verbs, ...options].join(' ')}; _files ;;`,
    )
    .join('\n');
  return `#compdef platform
_platform() {
  if (( CURRENT == 2 )); then
    _values 'command' ${words.map(({ name }) => name).join(' ')}
    return
  fi
  case "$words[2]" in
${cases}
  esac
}
compdef _platform platform
`;
}
