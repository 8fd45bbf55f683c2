/**
 * Base for agents written as classes: implement `execute`, and `run` calls the points of the life cycle around it, each
 * of which a subclass may have.
 */
export abstract class AbstractAgent<Input = string, Output = unknown, Options = unknown> {
  /** Optionally replaces the input of `execute`. */
  beforeRun?(input: Input): Promise<Input | void> | Input | void;
  afterRun?(input: Input, output: Output): Promise<void> | void;
  /** Returns a replacement for a failed answer; without one, the error reaches the caller. */
  onError?(input: Input, error: unknown): Promise<Output | void> | Output | void;

  abstract execute(input: Input, options?: Options): Promise<Output>;

  async run(input: Input, options?: Options): Promise<Output> {
    const prepared = (await this.beforeRun?.(input)) ?? input;
    const output = await this.#attempt(prepared, options);
    await this.afterRun?.(prepared, output);
    return output;
  }

  async #attempt(input: Input, options?: Options): Promise<Output> {
    try {
      return await this.execute(input, options);
    } catch (error) {
      const answer = await this.onError?.(input, error);
      if (answer === undefined) throw error;
      return answer;
    }
  }
}
