/** Shows that work is in progress. */
export interface Spinner {
  stop(): void;
  update(message: string): void;
}

/** A person at a terminal, or a stand-in. */
export interface TerminalOutput {
  write(text: string): void;
  writeLine(text: string): void;
  writeError(text: string): void;
  /** Resolves to the text the person typed. Rejects when input is closed. */
  prompt(question: string): Promise<string>;
  /** Resolves to the index of the chosen option. Rejects when input is closed. */
  select(options: string[], initialIndex?: number): Promise<number>;
  spinner(message: string): Spinner;
}

const SILENT_SPINNER: Spinner = Object.freeze({ stop: () => undefined, update: () => undefined });

/** A terminal without a person: shows nothing, and can't be asked. */
export const SILENT_TERMINAL: TerminalOutput = Object.freeze({
  write: () => undefined,
  writeLine: () => undefined,
  writeError: () => undefined,
  prompt: () => Promise.reject(new Error("There is no terminal to ask at")),
  select: () => Promise.reject(new Error("There is no terminal to ask at")),
  spinner: () => SILENT_SPINNER,
});
