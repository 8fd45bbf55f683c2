import { htmlToMarkdown } from "../../html/html-to-markdown.ts";
import type { HtmlAttributes } from "../../html/tokens.ts";
import { createPacer } from "../files/pacer.ts";

const DEFAULT_TIME_MS = 3000;

export interface PageOptions {
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
export async function pageToMarkdown(
  html: string,
  { base, signal, timeMs = DEFAULT_TIME_MS }: PageOptions,
): Promise<{ text: string; isWhole: boolean }> {
  const pace = createPacer(signal);
  const end = performance.now() + timeMs;
  let isWhole = true;
  const text = await htmlToMarkdown(html, {
    onElement: wholeLinks(base),
    async onRead(characters) {
      await pace(characters);
      isWhole = performance.now() < end;
      return isWhole;
    },
  });
  return { text, isWhole };
}

/**
 * Links and images keep addresses that can be fetched; others, such as `data:`, are only text or nothing. Images without
 * a text are left out.
 */
function wholeLinks(page: string): (name: string, attributes: HtmlAttributes) => boolean {
  let base = page;
  return (name, attributes) => {
    if (name === "base") base = wholeAddress(attributes.get("href"), page) ?? page;
    for (const attribute of ["href", "src"]) {
      const address = wholeAddress(attributes.get(attribute), base);
      if (address === undefined) attributes.delete(attribute);
      else attributes.set(attribute, address);
    }
    return name !== "img" || Boolean(attributes.get("alt"));
  };
}

function wholeAddress(address: string | undefined, base: string): string | undefined {
  const url = address === undefined ? null : URL.parse(address, base);
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}
