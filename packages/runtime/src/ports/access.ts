/**
 * What the rules of a session say about single files and commands, for whatever reaches many of them: a shell asks as
 * it starts each command and opens each file, and a search asks before it shows a file. The text of a command line
 * plays no part, so no way of writing it gets around them.
 *
 * Each method returns why something is refused, in a sentence for a person and a model, or `undefined` when it may be
 * done. They are called often and must be quick.
 */
export interface AccessRules {
  /** `path` is absolute. Where links led somewhere else, ask for both paths. */
  refusesFile(path: string, kind: "read" | "write"): string | undefined;
  /** `words[0]` is the command, the rest are its arguments after expansion. `cwd` is where it would run. */
  refusesCommand(words: readonly string[], cwd: string): string | undefined;
  /** For each address that a tool is about to ask, such as where a redirect leads. `url` is whole and canonical. */
  refusesAddress?(url: string): string | undefined;
  /**
   * Variables that a native shell starts a line with, in place of its own and of those in `env`. A line that only looks gets
   * some by which Git starts and writes less than the settings around it say.
   */
  environmentFor?(
    line: string,
    env: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>>;
}
