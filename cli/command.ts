// The shape of every command: the entry point declares it, and code can call it just as well.

export interface Command {
  /** The word after `platform`. */
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** Usage, options and examples, printed by `--help`. */
  help: string;
  /** What the command is made of, when it is a group; each is run as `platform <group> <name>`. */
  verbs?: Command[];
  /** Runs with the arguments after the command's name and resolves to the exit code. */
  run(argv: string[]): Promise<number>;
}
