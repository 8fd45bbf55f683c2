import { OUTPUT_LIMIT } from "../text-limit.ts";

/** Collects the lines of a result up to the output limit; the owner counts the rest. */
export interface LineBudget {
  /** Takes all of these lines or none; once it refused, it takes nothing any more. */
  add(...lines: string[]): boolean;
  readonly full: boolean;
  readonly text: string;
}

export function createLineBudget(limit = OUTPUT_LIMIT): LineBudget {
  const taken: string[] = [];
  let size = 0;
  let full = false;
  return {
    get full() {
      return full;
    },
    get text() {
      return taken.join("\n");
    },
    add(...lines) {
      const added = lines.reduce((sum, line) => sum + line.length + 1, 0);
      full ||= size + added > limit;
      if (full) return false;
      size += added;
      taken.push(...lines);
      return true;
    },
  };
}
