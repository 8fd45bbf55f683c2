import type { ElementNode, TransformPlugin } from "@mdream/js";
import { streamHtmlToMarkdown } from "@mdream/js/core";
import { filterPlugin } from "@mdream/js/plugins";
import { createPacer } from "../files/pacer.ts";

/**
 * Large enough that elements spanning pieces cost little, small enough that an abort is noticed between two of them.
 */
const PIECE = 256 * 1024;
const DEFAULT_TIME_MS = 3000;
const IMAGES = "img";
/** Elements without readable text: drawn, executed or deferred. */
const NOT_TEXT = ["script", "style", "noscript", "template", "svg", "iframe", "canvas", "object"];

export interface HtmlOptions {
  /** The page's address: links become whole. */
  base: string;
  signal: AbortSignal;
  /** Milliseconds after which the rest of the page is left out; default 3,000. */
  timeMs?: number | undefined;
}

/**
 * The text of a page as Markdown, with whole http addresses in its links. `isWhole` is false when a page took too long: only
 * one that is made to does.
 */
export async function htmlToMarkdown(
  html: string,
  { base, signal, timeMs = DEFAULT_TIME_MS }: HtmlOptions,
): Promise<{ text: string; isWhole: boolean }> {
  const pace = createPacer(signal);
  const end = performance.now() + timeMs;
  let read = 0;
  let isWhole = true;
  const pieces = new ReadableStream<string>({
    async pull(controller) {
      await pace(PIECE);
      isWhole = read >= html.length || performance.now() < end;
      if (!isWhole || read >= html.length) {
        controller.close();
        return;
      }
      controller.enqueue(html.slice(read, read + PIECE));
      read += PIECE;
    },
  });
  const options = { plugins: [filterPlugin({ exclude: NOT_TEXT }), wholeLinks(base)] };
  let text = "";
  for await (const piece of streamHtmlToMarkdown(pieces, options)) text += piece;
  return { text: text.trim(), isWhole };
}

/** Links and images keep addresses that can be fetched; others, such as `data:`, are only text or nothing. */
function wholeLinks(page: string): TransformPlugin {
  let base = page;
  return {
    processAttributes({ name, attributes }) {
      if (name === "base") base = wholeAddress(attributes["href"], page) ?? page;
      for (const attribute of ["href", "src"]) {
        const address = wholeAddress(attributes[attribute], base);
        if (address === undefined) delete attributes[attribute];
        else attributes[attribute] = address;
      }
    },
    beforeNodeProcess: ({ node }) => {
      const { name, attributes } = node as Partial<ElementNode>;
      if (name !== IMAGES || (attributes?.["src"] && attributes["alt"])) return undefined;
      return { skip: true };
    },
  };
}

function wholeAddress(address: string | undefined, base: string): string | undefined {
  const url = address === undefined ? null : URL.parse(address, base);
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}
