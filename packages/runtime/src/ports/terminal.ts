/** Shows that work goes on. */
export interface Spinner {
  stop(): void;
  update(message: string): void;
}

/** A person at a terminal, or whatever takes its place. */
export interface TerminalOutput {
  write(text: string): void;
  writeLine(text: string): void;
  writeError(text: string): void;
  /** Resolves to the text that the person typed. Rejects when nobody can type any more. */
  prompt(question: string): Promise<string>;
  /** Resolves to the place of the chosen option, the first at 0. Rejects when nobody can choose any more. */
  select(options: string[], initialIndex?: number): Promise<number>;
  spinner(message: string): Spinner;
}

const SILENT_SPINNER: Spinner = Object.freeze({ stop: () => undefined, update: () => undefined });

/** Where nobody is: shows nothing, and can't be asked. */
export const SILENT_TERMINAL: TerminalOutput = Object.freeze({
  write: () => undefined,
  writeLine: () => undefined,
  writeError: () => undefined,
  prompt: () => Promise.reject(new Error("There is no terminal to ask at")),
  select: () => Promise.reject(new Error("There is no terminal to ask at")),
  spinner: () => SILENT_SPINNER,
});
