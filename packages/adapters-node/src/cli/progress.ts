import type { WriteStream } from "node:tty";
import { styleText } from "node:util";
import { formatTokenCount } from "@robota/runtime";
import { type ToolState } from "@robota/runtime/sessions";
import { firstLine, printable } from "./printable.ts";

const REDRAW_MS = 100;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The display of a running turn: a line per tool, and on a terminal one live line below them. */
export class Progress {
  readonly #stream: WriteStream;
  readonly #isLive: boolean;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #tokens = 0;

  constructor(stream: WriteStream, term: string | undefined) {
    this.#stream = stream;
    this.#isLive = stream.isTTY && term !== "dumb";
  }

  start(): void {
    this.#startedAt = performance.now();
    this.#draws();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#erase();
  }

  /** Clears the live line for a question, and restores it afterwards. */
  async aside<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    this.stop();
    try {
      return await question();
    } finally {
      this.#draws();
    }
  }

  setTokens(tokens: number): void {
    this.#tokens = tokens;
  }

  toolStarted({ toolName, firstArg }: ToolState): void {
    this.line("dim", `→ ${toolName} ${firstLine(firstArg, 100)}`);
  }

  toolEnded({ toolName, result }: ToolState): void {
    if (result === "error") this.line("yellow", `✗ ${toolName} failed`);
    if (result === "denied") this.line("red", `✗ ${toolName} was not allowed`);
  }

  line(style: "dim" | "yellow" | "red", text: string): void {
    this.#erase();
    this.#stream.write(`${styleText(style, printable(text), { stream: this.#stream })}\n`);
  }

  #draws(): void {
    clearInterval(this.#timer);
    if (this.#isLive) this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
  }

  #draw(): void {
    const elapsed = performance.now() - this.#startedAt;
    const frame = SPINNER[Math.floor(elapsed / REDRAW_MS) % SPINNER.length];
    const tokens = this.#tokens > 0 ? ` · ${formatTokenCount(this.#tokens)} tokens` : "";
    const status = `${frame} ${Math.floor(elapsed / 1000)} s${tokens} · Ctrl+C to stop`;
    this.#stream.write(`\r\x1b[K${styleText("dim", status, { stream: this.#stream })}`);
  }

  #erase(): void {
    if (this.#isLive) this.#stream.write("\r\x1b[K");
  }
}
