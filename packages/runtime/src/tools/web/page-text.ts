import { charsetOf, decodeBytes } from "../../network/body-reader.ts";
import type { GuardedResponse } from "../../network/guarded-fetch.ts";
import { ToolFailure } from "../failure.ts";
import { isBinary } from "../files/text-file.ts";
import { count } from "../text-cut.ts";

/** A page as text for a model. */
export interface PageText {
  text: string;
  /** The media type it came as, such as `text/html`. */
  mediaType: string;
  /** True when HTML was converted to Markdown. */
  isMarkdown: boolean;
  /** False when the end of a page was given up, because it took too long to read. */
  isWhole: boolean;
}

/** Bytes in which HTML must declare its charset (the HTML standard's 1024). */
const PRESCAN_BYTES = 1024;
const HTML_TYPES = ["text/html", "application/xhtml+xml"];

/**
 * The response as text: HTML as Markdown, any other text unchanged.
 * @throws {ToolFailure} `binary` for anything else
 */
export async function readPageText(
  response: GuardedResponse,
  signal: AbortSignal,
): Promise<PageText> {
  const named = mediaTypeOf(response.headers);
  if (isBinaryType(named)) {
    response.cancel();
    throw binary(named);
  }
  const bytes = await response.bytes();
  const mark = markedCharset(bytes);
  if (mark === undefined && isBinary(bytes)) throw binary(named, bytes.length);
  const declared = mark ?? charsetOf(response.headers);
  const isHtml = HTML_TYPES.includes(named) || (named === "" && looksLikeHtml(bytes));
  const mediaType = named || (isHtml ? "text/html" : "text/plain");
  if (!isHtml) {
    return { text: decodeBytes(bytes, declared), mediaType, isMarkdown: false, isWhole: true };
  }
  const html = decodeBytes(bytes, declared ?? metaCharset(bytes));
  const { pageToMarkdown } = await import("./html-to-markdown.ts");
  const page = await pageToMarkdown(html, { base: response.url, signal });
  return { ...page, mediaType, isMarkdown: true };
}

/** The media type, such as `text/html`; empty when unspecified. */
function mediaTypeOf(headers: Headers): string {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

/** True for types that declare themselves binary. Generic types are examined instead. */
function isBinaryType(type: string): boolean {
  if (/^(?:image|audio|video|font|model)\//.test(type)) return type !== "image/svg+xml";
  return /^application\/(?:pdf|zip|gzip|x-tar|x-7z-compressed|wasm|vnd\.(?!.*\+(?:json|xml|yaml)$))/.test(
    type,
  );
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(
    new TextDecoder().decode(bytes.subarray(0, PRESCAN_BYTES)),
  );
}

/** A byte order mark takes precedence over any header. */
function markedCharset([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN_BYTES));
  const charset = /<meta\b[^>]{0,300}?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start)?.[1];
  // A page whose declaration was readable as bytes is not in UTF-16, whatever it declares.
  return charset !== undefined && /^utf-?16/i.test(charset) ? "utf-8" : charset;
}

function binary(type: string, size?: number): ToolFailure {
  const what = [size === undefined ? "" : `${count(size)} bytes of `, type || "binary data"];
  return new ToolFailure("binary", `The address leads to ${what.join("")}, which is not text.`, {
    hint: "WebFetch reads pages and other text. To keep a file, download it with a command, if one may.",
  });
}
