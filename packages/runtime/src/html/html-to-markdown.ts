import { escapeText, fenceFor, linkTarget } from "./marks.ts";
import { BLOCKS, type ElementEnd, openElements } from "./open-elements.ts";
import { type MarkdownTable, openTable } from "./table.ts";
import { type HtmlAttributes, tokensOf } from "./tokens.ts";
import { type Span, MarkdownWriter } from "./writer.ts";

export interface MarkdownStyle {
  bullet?: string;
  fence?: string;
  rule?: string | undefined;
  /** Underlines headings of the first two levels. */
  isUnderlined?: boolean;
}

export interface HtmlOptions extends MarkdownStyle {
  /** Called with each element, whose attributes it may change. Elements are left out for which it returns false. */
  onElement?: (name: string, attributes: HtmlAttributes) => boolean;
  /** Called with the number of characters read since the last time. Nothing more is read once it returns false. */
  onRead: (characters: number) => Promise<boolean>;
}

/** Characters between two calls of `onRead`. */
const PIECE = 16 * 1024;
/** Elements without readable text: drawn, executed or deferred. */
const NOT_TEXT = new Set("canvas iframe noscript object rp script style svg template".split(" "));
const HIDDEN = /display:\s*none|visibility:\s*hidden|position:\s*(?:absolute|fixed)/;
const CODE = new Set(["code", "kbd", "samp", "tt", "var"]);
/** Marks around the text of elements. */
const MARKS: Readonly<Record<string, readonly [open: string, close?: string]>> = {
  b: ["**"],
  cite: ["*"],
  del: ["~~"],
  dfn: ["**"],
  em: ["*"],
  figcaption: ["*"],
  i: ["*"],
  ins: ["<ins>", "</ins>"],
  mark: ["<mark>", "</mark>"],
  q: ['"'],
  rt: ["(", ")"],
  s: ["~~"],
  strike: ["~~"],
  strong: ["**"],
  sub: ["<sub>", "</sub>"],
  summary: ["**"],
  sup: ["<sup>", "</sup>"],
  u: ["<u>", "</u>"],
};

/** The readable part of a page as Markdown (that of GitHub). */
export async function htmlToMarkdown(html: string, options: HtmlOptions): Promise<string> {
  const converter = new Converter(html, options);
  let read = 0;
  for (const token of tokensOf(html)) {
    converter.place = token.end;
    if (token.type === "open")
      converter.elements.open(token.name, token.attributes, token.isClosed);
    else if (token.type === "close") converter.close(token.name);
    else converter.text(token.text);
    if (token.end - read < PIECE) continue;
    if (!(await options.onRead(token.end - read))) break;
    read = token.end;
  }
  return converter.finish();
}

class Converter {
  readonly elements = openElements((name, attributes) => this.#open(name, attributes));
  /** Where the token ends that is read. */
  place = 0;
  readonly #html: string;
  readonly #options: HtmlOptions;
  /** The page, and the cells of tables that are open. */
  readonly #writers = [new MarkdownWriter()];
  readonly #tables: (MarkdownTable | undefined)[] = [];
  /** The lists that are open, with the next number of ordered ones. */
  readonly #lists: { number?: number }[] = [];
  #items = 0;
  #hidden = 0;
  #codes = 0;
  #pre: string | undefined;

  constructor(html: string, options: HtmlOptions) {
    this.#html = html;
    this.#options = options;
  }

  get #writer(): MarkdownWriter {
    return this.#writers.at(-1) ?? new MarkdownWriter();
  }

  text(text: string): void {
    if (this.#hidden > 0) return;
    if (this.#pre !== undefined) this.#pre += text;
    else if (this.#codes > 0) this.#writer.code(text);
    else this.#writer.text(text);
  }

  close(name: string): void {
    // Two end tags have a meaning without an element.
    if (name === "br") this.elements.open(name, new Map(), true);
    else this.elements.close(name);
  }

  finish(): string {
    this.elements.closeAll();
    return this.#writer.finish().trim();
  }

  #open(name: string, attributes: HtmlAttributes): ElementEnd {
    const isShown =
      !NOT_TEXT.has(name) &&
      !HIDDEN.test(attributes.get("style") ?? "") &&
      ["until-found", undefined].includes(attributes.get("hidden")) &&
      this.#options.onElement?.(name, attributes) !== false;
    if (!isShown || this.#hidden > 0) {
      this.#hidden += 1;
      return () => {
        this.#hidden -= 1;
      };
    }
    if (this.#pre !== undefined) return this.#openInPre(name, attributes);
    if (CODE.has(name)) return this.#openCode();
    return this.#openBlock(name, attributes) ?? this.#openInline(name, attributes);
  }

  /** Only lines and the language count in preformatted text. */
  #openInPre(name: string, attributes: HtmlAttributes): ElementEnd {
    const endLine = (): void => {
      if (this.#pre && !this.#pre.endsWith("\n")) this.#pre += "\n";
    };
    if (name === "br") this.#pre += "\n";
    if (name === "code") this.#language ||= languageOf(attributes);
    if (!BLOCKS.has(name)) return undefined;
    endLine();
    return endLine;
  }
  #language = "";

  #openCode(): ElementEnd {
    this.#codes += 1;
    return () => {
      this.#codes -= 1;
      if (this.#codes === 0) this.#writer.endCode();
    };
  }

  #openBlock(name: string, attributes: HtmlAttributes): ElementEnd {
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) return this.#openHeading(Number(level));
    switch (name) {
      case "blockquote":
        return this.#openIndented(2, "> ", "> ");
      case "dd":
        return this.#openIndented(1, ": ", "  ");
      case "li":
        return this.#openItem(attributes);
      case "menu":
      case "ol":
      case "ul":
        return this.#openList(name, attributes);
      case "pre":
        return this.#openPre(attributes);
      case "table":
        return this.#openTable(attributes);
      case "td":
      case "th":
      case "tr":
        return this.#openTablePart(name, attributes);
      default:
        return this.#openPlainBlock(name);
    }
  }

  #openPlainBlock(name: string): ElementEnd {
    if (!BLOCKS.has(name)) return undefined;
    const writer = this.#writer;
    writer.block(2);
    if (name === "hr" && this.#writers.length === 1) writer.lines([this.#options.rule ?? "---"]);
    const end = this.#openMarks(name);
    return () => {
      end?.();
      // A term's meaning follows in the next line.
      writer.block(name === "dt" ? 1 : 2);
    };
  }

  #openHeading(level: number): ElementEnd {
    const isUnderlined = this.#options.isUnderlined && level <= 2;
    const writer = this.#writer;
    const end = writer.heading(isUnderlined ? "" : `${"#".repeat(level)} `);
    return () => {
      const title = end();
      if (!isUnderlined || title === "") return;
      writer.setLineEnds(1);
      writer.lines([(level === 1 ? "=" : "-").repeat(title.length)], 1);
      writer.block(2);
    };
  }

  #openIndented(lineEnds: number, first: string, rest: string): ElementEnd {
    const writer = this.#writer;
    writer.block(lineEnds);
    const end = writer.indent(first, rest);
    return () => {
      end();
      writer.block(lineEnds);
    };
  }

  #openList(name: string, attributes: HtmlAttributes): ElementEnd {
    const writer = this.#writer;
    const isInner = this.#items > 0;
    writer.block(isInner ? 1 : 2);
    const start = Number.parseInt(attributes.get("start") ?? "1", 10);
    this.#lists.push(name === "ol" ? { number: start >= 0 ? start : 1 } : {});
    return () => {
      this.#lists.pop();
      if (isInner) writer.endInnerList();
      else writer.block(2);
    };
  }

  #openItem(attributes: HtmlAttributes): ElementEnd {
    const writer = this.#writer;
    const list = this.#lists.at(-1);
    let mark = `${this.#options.bullet ?? "-"} `;
    if (list?.number !== undefined) {
      const value = Number.parseInt(attributes.get("value") ?? "", 10);
      if (value >= 0) list.number = value;
      mark = `${list.number}. `;
      list.number += 1;
    }
    writer.block(1);
    this.#items += 1;
    const end = writer.indent(mark, " ".repeat(mark.length));
    return () => {
      this.#items -= 1;
      end();
      writer.setLineEnds(1);
    };
  }

  #openPre(attributes: HtmlAttributes): ElementEnd {
    this.#writer.block(2);
    this.#pre = "";
    this.#language = languageOf(attributes);
    return () => {
      const code = (this.#pre ?? "").replace(/^\r?\n/, "").trimEnd();
      this.#pre = undefined;
      if (code === "") return;
      const lines = code.split(/\r?\n/);
      const writer = this.#writer;
      if (this.#writers.length > 1) {
        for (const line of lines) {
          writer.code(line);
          writer.break();
        }
        return;
      }
      const fence = fenceFor(code, this.#options.fence ?? "```");
      writer.lines([fence + this.#language, ...lines, fence]);
      writer.block(2);
    };
  }

  #openTable(attributes: HtmlAttributes): ElementEnd {
    const writer = this.#writer;
    writer.block(2);
    // A table around others arranges the page, and has no rows to show.
    const next = /<(\/?)table\b/gi;
    next.lastIndex = this.place;
    const isLayout =
      this.#writers.length > 1 ||
      next.exec(this.#html)?.[1] === "" ||
      /^(?:none|presentation)$/.test(attributes.get("role") ?? "");
    const table = isLayout ? undefined : openTable(writer);
    this.#tables.push(table);
    return () => {
      table?.endRow();
      this.#tables.pop();
      writer.block(2);
    };
  }

  #openTablePart(name: string, attributes: HtmlAttributes): ElementEnd {
    const table = this.#tables.at(-1);
    const writer = this.#writer;
    if (!table) {
      const lineEnds = name === "tr" ? 2 : 1;
      writer.block(lineEnds);
      return () => writer.block(lineEnds);
    }
    if (name === "tr") return () => table.endRow();
    const cell = new MarkdownWriter({ isCell: true });
    this.#writers.push(cell);
    return () => {
      this.#writers.pop();
      table.addCell(cell.finish(), attributes);
    };
  }

  #openInline(name: string, attributes: HtmlAttributes): ElementEnd {
    const writer = this.#writer;
    switch (name) {
      case "a":
        return this.#openLink(attributes);
      case "br":
        writer.break();
        return undefined;
      case "img":
        this.#image(attributes);
        return undefined;
      case "button":
      case "option":
      case "select":
      case "textarea":
        writer.space();
        return () => writer.space();
      default:
        return this.#openMarks(name);
    }
  }

  #openMarks(name: string): ElementEnd {
    const [open, close = open] = MARKS[name] ?? [];
    const writer = this.#writer;
    if (open === undefined || this.#codes > 0 || writer.isOpen(open)) return undefined;
    const span: Span = { open, close: () => close ?? "" };
    writer.open(span);
    return () => writer.close(span);
  }

  #openLink(attributes: HtmlAttributes): ElementEnd {
    const href = attributes.get("href");
    if (href === undefined) return undefined;
    const writer = this.#writer;
    const title = attributes.get("title");
    const target = linkTarget(href, title, this.#writers.length > 1);
    const isWhole = !title && /^(?:https?:\/\/|mailto:)[^\s<>]*$/.test(href);
    const span: Span = {
      open: "[",
      close: (text) => (isWhole && text === href ? `<${href}>` : `[${text}](${target})`),
      isLink: true,
    };
    writer.open(span);
    return () => {
      if (!span.isUsed) writer.mark(linkText(attributes.get("aria-label") ?? title ?? ""));
      writer.close(span);
    };
  }

  #image(attributes: HtmlAttributes): void {
    const source = attributes.get("src");
    if (!source) return;
    const alt = linkText(attributes.get("alt") ?? "");
    const target = linkTarget(source, attributes.get("title"), this.#writers.length > 1);
    this.#writer.mark(`![${alt}](${target})`);
  }
}

function languageOf(attributes: HtmlAttributes): string {
  return /(?:^|\s)lang(?:uage)?-([^\s"'&<>`~]+)/.exec(attributes.get("class") ?? "")?.[1] ?? "";
}

/** Text of an attribute, as that of a link. */
function linkText(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return escapeText(line, { isLineStart: false, isLink: true, isCell: true });
}
