/** Ends a `git` command with a line on stderr. */
export class GitFailure extends Error {
  readonly exitCode: number;

  /** Takes in `message` the whole line with its `fatal:` or `error:`. */
  constructor(message: string, exitCode = 128) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function fatal(message: string): GitFailure {
  return new GitFailure(`fatal: ${message}`);
}

/** Creates the failure for an unsupported feature, with an alternative. */
export function notHere(what: string, instead: string): GitFailure {
  return new GitFailure(`git: ${what} is not available in this shell: ${instead}`, 1);
}
