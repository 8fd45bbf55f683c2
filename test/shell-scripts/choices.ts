import { randomFrom } from "../shell-lines/generate.ts";

/**
 * The choices that make a script. Each is a number below a limit, and 0 always is the simplest: what takes choices away
 * from the list, or lowers them, makes a smaller script.
 */
export class Choices {
  readonly taken: number[] = [];
  readonly #next: (limit: number) => number;

  /** @param source A seed, or the choices of a script that was made before. */
  constructor(source: number | readonly number[]) {
    let at = 0;
    this.#next =
      typeof source === "number"
        ? randomFrom(source)
        : (limit) => Math.min(source[at++] ?? 0, limit - 1);
  }

  below(limit: number): number {
    const choice = this.#next(limit);
    this.taken.push(choice);
    return choice;
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error("There is nothing to pick from");
    return value;
  }

  /** True once in so many times. */
  chance(times: number): boolean {
    return this.below(times) === times - 1;
  }

  /** Makes some, at most so many. */
  some<Value>(most: number, make: () => Value): Value[] {
    const made: Value[] = [];
    while (made.length < most && this.below(most + 1) > 0) made.push(make());
    return made;
  }
}
