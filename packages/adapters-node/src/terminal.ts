import { createInterface } from "node:readline/promises";
import type { Spinner, TerminalOutput } from "@robota/runtime/ports";

const REDRAW_MS = 100;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ERASE_LINE = "\r\u001B[K";

export interface NodeTerminalOptions {
  /** Input of the person; `process.stdin` by default. */
  input?: NodeJS.ReadableStream | undefined;
  /** Output stream; `process.stdout` by default. */
  output?: (NodeJS.WritableStream & { isTTY?: boolean }) | undefined;
  /** Stream for errors; `process.stderr` by default. */
  error?: NodeJS.WritableStream | undefined;
}

/**
 * The terminal that the process runs in, as plain lines: for `terminal` of a session. Questions reject when the input ends
 * or the person presses Ctrl+C. Spinners are drawn only where the output is a terminal.
 */
export function nodeTerminal(options: NodeTerminalOptions = {}): TerminalOutput {
  const { input = process.stdin, output = process.stdout, error = process.stderr } = options;
  const ask = async (question: string): Promise<string> => {
    const lines = createInterface({ input, output });
    // At the end of the input a question would never be answered.
    const ended = Promise.withResolvers<never>();
    lines.once("close", () => ended.reject(new Error("The input has ended without an answer")));
    try {
      return await Promise.race([lines.question(question), ended.promise]);
    } finally {
      lines.close();
    }
  };
  return {
    write: (text) => void output.write(text),
    writeLine: (text) => void output.write(`${text}\n`),
    writeError: (text) => void error.write(`${text}\n`),
    prompt: ask,
    async select(choices, initialIndex = 0) {
      for (const [index, choice] of choices.entries()) output.write(`  ${index + 1}. ${choice}\n`);
      for (;;) {
        const answer = (
          await ask(`1 to ${choices.length}, or Enter for ${initialIndex + 1}: `)
        ).trim();
        if (answer === "") return initialIndex;
        const chosen = Number(answer);
        if (Number.isInteger(chosen) && chosen >= 1 && chosen <= choices.length) return chosen - 1;
      }
    },
    spinner: (message) => (output.isTTY ? drawnSpinner(output, message) : hiddenSpinner()),
  };
}

function drawnSpinner(output: NodeJS.WritableStream, first: string): Spinner {
  let message = first;
  let frame = 0;
  const draw = (): void => {
    output.write(`${ERASE_LINE}${FRAMES[frame++ % FRAMES.length]} ${message}`);
  };
  const timer = setInterval(draw, REDRAW_MS);
  // Keeps no process alive.
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      output.write(ERASE_LINE);
    },
    update: (next) => {
      message = next;
    },
  };
}

function hiddenSpinner(): Spinner {
  return { stop: () => undefined, update: () => undefined };
}
