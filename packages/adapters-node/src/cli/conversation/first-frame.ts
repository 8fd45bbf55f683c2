import type { Screen } from "./screen.ts";

const CTRL_C = 0x03;

/**
 * The prompt as it stands on the terminal while the first session opens. Keys are kept for the editor, which reads them when
 * the session is open; only Ctrl+C counts at once, as a signal.
 */
export class FirstFrame {
  readonly #screen: Screen;
  readonly #typed: Buffer[] = [];
  #isShown = false;
  readonly #keep = (keys: Buffer): void => {
    this.#typed.push(keys);
    if (keys.includes(CTRL_C)) process.emit("SIGINT", "SIGINT");
  };

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  show(): void {
    this.#isShown = true;
    // Before anything invites to type: until then, the terminal itself takes Enter for the end of a line.
    process.stdin.setRawMode(true);
    process.stdin.on("data", this.#keep);
    this.#screen.paint();
  }

  /** Takes the prompt away, for a question or a message in its place. What was typed is kept, and is no answer. */
  remove(): void {
    if (!this.#isShown) return;
    this.#leaveInput();
    process.stdin.setRawMode(false);
    this.#screen.erase();
  }

  /** Starts the screen, with what was typed. */
  startScreen(): void {
    if (this.#isShown) this.#leaveInput();
    // While nothing is read: it comes behind the work at hand, which gives the keys their meaning.
    if (this.#typed.length > 0) process.stdin.unshift(Buffer.concat(this.#typed));
    this.#screen.start();
  }

  #leaveInput(): void {
    this.#isShown = false;
    process.stdin.off("data", this.#keep);
    process.stdin.pause();
  }
}
