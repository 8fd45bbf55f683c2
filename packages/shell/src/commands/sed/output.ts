/** Text that is written line by line. A line without an ending gets one once something follows. */
export class LineOutput {
  readonly #end: string;
  #parts: string[] = [];
  #isOpen = false;

  constructor(end = "\n") {
    this.#end = end;
  }

  /** Writes lines that have their endings. */
  write(text: string): void {
    if (text === "") return;
    if (this.#isOpen) this.#parts.push(this.#end);
    this.#isOpen = false;
    this.#parts.push(text);
  }

  /** Writes lines of which the last one may have no ending. */
  text(text: string): void {
    if (text.endsWith(this.#end)) this.write(text);
    else if (text !== "") this.line(text, true);
  }

  line(text: string, isOpen: boolean): void {
    this.write(isOpen ? text : text + this.#end);
    this.#isOpen ||= isOpen;
  }

  /** Takes what was written so far. */
  take(): string {
    const text = this.#parts.join("");
    this.#parts = [];
    return text;
  }
}
