const MAX_SHOWN = 3;

/** The files that a command was refused, for the end of its stderr. */
export interface Refusals {
  readonly add: (path: string, reason: string) => void;
  /** Lines as bash would print them; empty when nothing was refused. */
  text(): string;
}

/**
 * Many programs report any file that they can't open as one that is not there. Who runs them has to learn of the rule,
 * or looks for the file.
 */
export function createRefusals(): Refusals {
  const reasons = new Map<string, string>();
  return {
    add(path, reason) {
      reasons.set(path, reason);
    },
    text() {
      const lines = Array.from(reasons, ([path, reason]) => `${path}: not permitted: ${reason}`);
      const rest = lines.length - MAX_SHOWN;
      const shown = lines.slice(0, MAX_SHOWN);
      if (rest > 0) shown.push(`and ${rest} more files that are not permitted`);
      return shown.map((line) => `bash: ${line}\n`).join("");
    },
  };
}
