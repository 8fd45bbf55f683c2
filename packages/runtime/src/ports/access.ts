/**
 * The rules of a session for single files and commands, for callers that reach many of them: a shell asks as it starts
 * each command and opens each file, a search asks before it shows a file. The text of a command line plays no part, so
 * no way of writing it bypasses them.
 *
 * Each method returns the reason of a refusal, in a sentence for a person and a model, or `undefined` when the access
 * is allowed. They are called often and must be fast.
 */
export interface AccessRules {
  /** `path` is absolute. Where links led somewhere else, ask for both paths. */
  refusesFile(path: string, kind: "read" | "write"): string | undefined;
  /**
   * As `refusesFile`, for a shell's own `git` in the inside of a repository, which it has to write to and of which it runs
   * nothing. Hooks stay protected. Without it, `refusesFile` holds for `git` too.
   */
  refusesGitFile?(path: string, kind: "read" | "write"): string | undefined;
  /**
   * As `refusesFile` for writing, for a shell's own `git` in its working tree: a person who approves a line lets it write
   * protected files there too. Without it, `refusesFile` holds for `git` too.
   */
  refusesWorktreeFile?(path: string, write?: WorktreeWrite): string | undefined;
  /** `words[0]` is the command, the rest are its arguments after expansion. `cwd` is where it would run. */
  refusesCommand(words: readonly string[], cwd: string): string | undefined;
  /**
   * Checks each address a tool is about to request, such as the target of a redirect. `url` is complete and canonical.
   */
  refusesAddress?(url: string): string | undefined;
  /**
   * Reports whether a line of a native shell may print content from the network, as a virtual one reports afterwards.
   */
  mayFetch?(line: string): boolean;
  /**
   * The variables a native shell starts a line with, instead of its own and those in `env`. A read-only line gets some
   * by which Git starts and writes less than its settings say.
   */
  environmentFor?(
    line: string,
    env: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>>;
}

/** The circumstances in which a shell's own `git` writes to its working tree. */
export interface WorktreeWrite {
  /** Canonical path of the directory that a clone has just created, and fills. */
  cloned?: string | undefined;
  /** Asks about a line that a person would approve, with all its files shown: for a dry run. */
  asIfApproved?: boolean | undefined;
}
