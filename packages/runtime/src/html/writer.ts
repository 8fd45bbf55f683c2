import { codeSpan, escapeText } from "./marks.ts";

/** Text between marks, such as `**`. It is written anew in each block that it spans. */
export interface Span {
  readonly open: string;
  /** The end of the span, of a link all of it. @param text what stands after `open`, of a link */
  readonly close: (text: string) => string;
  readonly isLink?: boolean;
  /** Where the text begins, once there is some. */
  at?: number | undefined;
  /** True when it was written at least once. */
  isUsed?: boolean;
}

/** Beginnings of the lines of a list item or a quote. */
interface Prefix {
  readonly first: string;
  readonly rest: string;
  isUsed: boolean;
}

/** Deeper lists and quotes have no prefix of their own. */
const MAX_PREFIXES = 20;
const SPACE_BEFORE = /^[ \t\n\f\r]+/;
/** The look behind keeps a page with a long run of spaces from taking a time that grows with its square. */
const SPACE_AFTER = /(?<![ \t\n\f\r])[ \t\n\f\r]+$/;
const SPACES = /[ \t\n\f\r]+/g;

/** Writes blocks and lines of Markdown. A cell of a table has one line, in which breaks are `<br>`. */
export class MarkdownWriter {
  readonly #isCell: boolean;
  readonly #out: string[] = [];
  readonly #prefixes: Prefix[] = [];
  #spans: Span[] = [];
  #code = "";
  /** Space due before the next text: line ends between blocks, line breaks within one, or a blank. */
  #lineEnds = 0;
  #breaks = 0;
  #isSpaceDue = false;
  #isAfterList = false;
  #isHeading = false;
  #lineStart = "";
  /** Where the text of the last line that began a block starts. */
  #lineAt = 0;

  constructor({ isCell = false }: { isCell?: boolean } = {}) {
    this.#isCell = isCell;
  }

  /** Ends the block before: so many line ends come before the next text. */
  block(lineEnds: number): void {
    this.endCode();
    for (const span of this.#spans.toReversed()) this.#close(span);
    this.#breaks = 0;
    this.#isSpaceDue = false;
    // The first line of an item begins beside its mark.
    const isItemStart = this.#prefixes.at(-1)?.isUsed === false;
    if (!isItemStart) this.setLineEnds(Math.max(this.#lineEnds, lineEnds));
  }

  setLineEnds(count: number): void {
    this.#lineEnds = this.#out.length > 0 ? count : 0;
  }

  /** Writes text of a page. */
  text(text: string): void {
    this.endCode();
    const { before, inner, after } = withoutEdges(text);
    if (before) this.space();
    if (inner !== "") {
      const place = {
        isLineStart:
          (this.#isBlockStart() || this.#breaks > 0) &&
          this.#lineStart === "" &&
          this.#spans.every(({ at }) => at !== undefined),
        isLink: this.#spans.some(({ isLink }) => isLink),
        isCell: this.#isCell,
      };
      this.#begin();
      this.#out.push(escapeText(inner.replace(SPACES, " "), place));
    }
    if (after) this.space();
  }

  /** Adds text of a page to a code span, which ends with the next of anything else. */
  code(text: string): void {
    this.#code += text;
  }

  endCode(): void {
    const { before, inner, after } = withoutEdges(this.#code);
    this.#code = "";
    if (before) this.space();
    if (inner === "") return;
    this.mark(codeSpan(inner.replace(SPACES, " "), this.#isCell));
    if (after) this.space();
  }

  /** Writes Markdown into the line. */
  mark(markdown: string): void {
    this.endCode();
    this.#begin();
    this.#out.push(markdown);
  }

  /** Writes whole lines of Markdown, after so many line ends. */
  lines(lines: readonly string[], lineEnds = 2): void {
    this.block(lineEnds);
    for (const line of lines) {
      this.#startLine();
      this.#out.push(line === "" ? this.#bareLine() : line);
      this.#lineEnds = 1;
    }
  }

  space(): void {
    if (!this.#isBlockStart() && this.#breaks === 0) this.#isSpaceDue = true;
  }

  break(): void {
    this.endCode();
    if (this.#isBlockStart()) return;
    this.#breaks += 1;
    this.#isSpaceDue = false;
  }

  /** Begins a heading, and returns a function that ends it and returns its text. */
  heading(mark: string): () => string {
    this.block(2);
    const start = this.#out.length;
    this.#isHeading = true;
    if (!this.#isCell) this.#lineStart = mark;
    return () => {
      this.block(2);
      this.#isHeading = false;
      this.#lineStart = "";
      return this.#out.length > start ? this.#out.slice(this.#lineAt).join("") : "";
    };
  }

  open(span: Span): void {
    this.endCode();
    this.#spans.push(span);
  }

  /** Ends the span; those that began later go on. */
  close(span: Span): void {
    this.endCode();
    const inner = this.#spans.slice(this.#spans.indexOf(span));
    for (const each of inner.toReversed()) this.#close(each);
    this.#spans = this.#spans.filter((each) => each !== span);
  }

  isOpen(mark: string): boolean {
    return this.#spans.some(({ open }) => open === mark);
  }

  /** Begins a list item or a quote, and returns a function that ends it. */
  indent(first: string, rest: string): () => void {
    if (this.#isCell) this.#lineStart = first;
    if (this.#isCell || this.#prefixes.length >= MAX_PREFIXES) return () => {};
    const prefix = { first, rest, isUsed: false };
    this.#prefixes.push(prefix);
    return () => {
      this.block(1);
      // An empty item has its mark all the same.
      if (!prefix.isUsed && first !== rest) {
        this.#startLine();
        this.#out.push(this.#bareLine());
      }
      this.#prefixes.pop();
    };
  }

  /** A list within an item ended: more text needs a blank line, another item does not. */
  endInnerList(): void {
    this.block(1);
    this.#isAfterList = true;
  }

  finish(): string {
    this.block(0);
    return this.#out.join("");
  }

  #isBlockStart(): boolean {
    return this.#lineEnds > 0 || this.#out.length === 0;
  }

  /** Writes all that is due before a text. */
  #begin(): void {
    if (this.#isBlockStart()) this.#startLine();
    else if (this.#breaks > 0) this.#breakLine();
    else if (this.#isSpaceDue) this.#out.push(" ");
    this.#breaks = 0;
    this.#isSpaceDue = false;
    for (const span of this.#spans) {
      if (span.at !== undefined) continue;
      // Two marks of a kind would be one.
      const isAmbiguous = !span.isLink && this.#out.at(-1)?.endsWith(span.open) === true;
      this.#out.push(isAmbiguous ? ` ${span.open}` : span.open);
      span.at = this.#out.length;
      span.isUsed = true;
    }
  }

  #startLine(): void {
    const isItem = this.#prefixes.at(-1)?.isUsed === false;
    if (this.#out.length > 0) {
      if (this.#isCell) this.#out.push("<br>");
      else this.#endLines(this.#isAfterList && !isItem ? 2 : this.#lineEnds);
    }
    this.#out.push(this.#nextPrefix() + this.#lineStart);
    this.#lineAt = this.#out.length;
    this.#lineStart = "";
    this.#lineEnds = 0;
    this.#isAfterList = false;
  }

  /** The start of a line without text, which has no spaces at its end. */
  #bareLine(): string {
    return this.#out.pop()?.trimEnd() ?? "";
  }

  #breakLine(): void {
    if (this.#isCell || this.#isHeading) this.#out.push("<br>");
    else if (this.#breaks > 1 && this.#spans.every(({ at }) => at === undefined)) {
      this.#endLines(2);
      this.#out.push(this.#nextPrefix());
    } else this.#out.push(`  \n${this.#nextPrefix()}`);
  }

  #endLines(count: number): void {
    const blank = this.#prefixes.map(({ isUsed, rest }) => (isUsed ? rest : "")).join("");
    this.#out.push(`\n${blank.trimEnd()}`.repeat(count - 1), "\n");
  }

  #nextPrefix(): string {
    const text = this.#prefixes.map(({ isUsed, first, rest }) => (isUsed ? rest : first)).join("");
    for (const prefix of this.#prefixes) prefix.isUsed = true;
    return text;
  }

  #close(span: Span): void {
    if (span.at === undefined) return;
    const text = span.isLink
      ? this.#out
          .splice(span.at - 1)
          .slice(1)
          .join("")
      : "";
    this.#out.push(span.close(text));
    span.at = undefined;
  }
}

/** Text without the space around it, and whether there was any. */
function withoutEdges(text: string): { before: boolean; inner: string; after: boolean } {
  const start = SPACE_BEFORE.exec(text)?.[0].length ?? 0;
  const end = SPACE_AFTER.exec(text)?.index ?? text.length;
  return {
    before: start > 0,
    inner: text.slice(start, end),
    after: end > start && end < text.length,
  };
}
