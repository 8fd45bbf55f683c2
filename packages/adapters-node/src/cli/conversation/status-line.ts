import { Text } from "@earendil-works/pi-tui";
import { formatTokenCount } from "@robota/runtime";
import type { ClientSession } from "@robota/runtime/sessions";
import { firstLine, printable } from "../printable.ts";
import type { Theme } from "./theme.ts";
import { durationOf } from "./tool-line.ts";

const REDRAW_MS = 120;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The line above the prompt while a turn runs: that it runs, for how long, and the keys that matter then. */
export class RunningLine extends Text {
  readonly #theme: Theme;
  readonly #redraw: () => void;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #words = "";

  constructor(theme: Theme, redraw: () => void) {
    super("", 0, 0);
    this.#theme = theme;
    this.#redraw = redraw;
  }

  /** Shows what the session is doing; `undefined` when it waits for a prompt or for an answer. */
  set(words: string | undefined): void {
    if (words === undefined) {
      this.stop();
      this.setText("");
      return;
    }
    this.#words = words;
    if (this.#timer) return;
    this.#startedAt = performance.now();
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#draw();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #draw(): void {
    const elapsed = performance.now() - this.#startedAt;
    const frame = SPINNER[Math.floor(elapsed / REDRAW_MS) % SPINNER.length] ?? "";
    const keys = "Esc to stop · Enter to queue · Ctrl+S to steer";
    const facts = this.#theme.dim(` ${durationOf(elapsed)} · ${keys}`);
    this.setText(`${this.#theme.accent(frame)} ${this.#words}${facts}`);
    this.#redraw();
  }
}

/** The line below the prompt: the model, the mode, the filled part of its context, and the name of the session. */
export function footerText(session: ClientSession, theme: Theme): string {
  const { usedPercentage, usedTokens } = session.getContextState();
  const mode = session.getPermissionMode();
  const name = session.getName();
  const context = `${formatTokenCount(usedTokens)} tokens (${Math.round(usedPercentage)} %)`;
  const parts = [
    printable(session.getModel().model),
    mode === "bypassPermissions" ? theme.warning(mode) : mode,
    context,
    name === undefined ? undefined : firstLine(name, 30),
  ].filter((part) => part !== undefined);
  return theme.dim(parts.join(" · "));
}
