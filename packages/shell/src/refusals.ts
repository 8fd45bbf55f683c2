const MAX_SHOWN = 3;

/** The files whose access was refused to a command, for the end of its stderr. */
export interface Refusals {
  readonly add: (path: string, reason: string) => void;
  /** Lines in bash's wording; empty without refusals. */
  text(): string;
}

/**
 * Collects refusals. Many programs report any file that they can't open as missing; the caller must learn of the rule,
 * or it searches for the file.
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
