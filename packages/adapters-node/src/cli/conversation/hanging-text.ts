import { type Component, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** A line whose body continues below itself, not below its head, where the terminal is too narrow for it. */
export interface HangingLine {
  head: string;
  body: string;
}

/** Columns that a body needs beside its head; with fewer, it continues at the edge. */
const NARROWEST_BODY = 12;

/** Lines that keep their form in a narrow terminal. */
export class HangingText implements Component {
  readonly #lines: readonly HangingLine[];
  readonly #margin: string;
  #drawn: { width: number; rows: string[] } | undefined;

  constructor(lines: readonly HangingLine[], margin = 0) {
    this.#lines = lines;
    this.#margin = " ".repeat(margin);
  }

  invalidate(): void {
    this.#drawn = undefined;
  }

  render(width: number): string[] {
    if (this.#drawn?.width !== width) this.#drawn = { width, rows: this.#rows(width) };
    return this.#drawn.rows;
  }

  #rows(width: number): string[] {
    const room = Math.max(1, width - 2 * this.#margin.length);
    return this.#lines.flatMap((line) => wrapped(line, room).map((row) => this.#margin + row));
  }
}

function wrapped({ head, body }: HangingLine, width: number): string[] {
  const indent = visibleWidth(head);
  if (width - indent < NARROWEST_BODY) return wrapTextWithAnsi(head + body, width);
  const [first = "", ...rest] = wrapTextWithAnsi(body, width - indent);
  return [head + first, ...rest.map((row) => " ".repeat(indent) + row)];
}
