import { OUTPUT_LIMIT } from "../text-limit.ts";

/** Collects the lines of a result up to the output limit; the owner counts the rest. */
export class LineBudget {
  readonly #limit: number;
  readonly #taken: string[] = [];
  #size = 0;
  #isFull = false;

  constructor(limit = OUTPUT_LIMIT) {
    this.#limit = limit;
  }

  get full(): boolean {
    return this.#isFull;
  }

  get text(): string {
    return this.#taken.join("\n");
  }

  /** Takes all of these lines or none; once it refused, it takes nothing any more. */
  add(...lines: string[]): boolean {
    const added = lines.reduce((sum, line) => sum + line.length + 1, 0);
    this.#isFull ||= this.#size + added > this.#limit;
    if (this.#isFull) return false;
    this.#size += added;
    this.#taken.push(...lines);
    return true;
  }
}
