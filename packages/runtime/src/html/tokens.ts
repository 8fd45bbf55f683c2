import { decodeReferences } from "./entities.ts";

export type HtmlAttributes = Map<string, string>;

/** A piece of a page, and where the next one begins. */
export type HtmlToken = { readonly end: number } & (
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "open";
      readonly name: string;
      readonly attributes: HtmlAttributes;
      /** True for `<x/>`. */
      readonly isClosed: boolean;
    }
  | { readonly type: "close"; readonly name: string }
);

/** Elements whose content is not markup: of the first, not for reading either. */
const RAW = new Set(["script", "style", "iframe", "noembed", "noframes"]);
const RAW_TEXT = new Set(["textarea", "title"]);

const MARKUP = /<(?=[a-z!?/])/gi;
const COMMENT_END = /--!?>/g;
const TAG_NAME = /<\/?([a-z][^\s/>]*)/iy;
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))?)?/y;
const TAG_END = /([\s/]*)>/y;

/** Reads HTML as its standard says, without comments, and nothing more after a tag or comment that does not end. */
export function* tokensOf(html: string): Generator<HtmlToken> {
  for (let at = 0; at < html.length;) {
    const start = search(MARKUP, html, at)?.index ?? html.length;
    if (start > at)
      yield { type: "text", text: decodeReferences(html.slice(at, start)), end: start };
    if (start === html.length) return;
    const tag = tagAt(html, start);
    if (tag === undefined) {
      at = commentEnd(html, start);
      continue;
    }
    if (tag === "unclosed") return;
    yield tag;
    at = tag.end;
    if (tag.type !== "open" || !(RAW.has(tag.name) || RAW_TEXT.has(tag.name))) continue;
    const close = new RegExp(`</${tag.name}(?=[\\s/>])`, "gi");
    const end = search(close, html, at)?.index ?? html.length;
    if (RAW_TEXT.has(tag.name) && end > at)
      yield { type: "text", text: decodeReferences(html.slice(at, end)), end };
    at = end;
  }
}

function search(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

/** The end of a comment or of anything else that begins like a tag. */
function commentEnd(html: string, start: number): number {
  const isComment = html.startsWith("<!--", start);
  // `<!-->` is a whole comment.
  if (isComment && search(COMMENT_END, html, start + 2)) return COMMENT_END.lastIndex;
  const end = isComment ? -1 : html.indexOf(">", start);
  return end === -1 ? html.length : end + 1;
}

/** The tag that begins at `start`; `undefined` when none does. */
function tagAt(html: string, start: number): HtmlToken | "unclosed" | undefined {
  const name = search(TAG_NAME, html, start)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  let at = TAG_NAME.lastIndex;
  const attributes: HtmlAttributes = new Map();
  for (;;) {
    const found = search(ATTRIBUTE, html, at);
    if (!found) break;
    at = ATTRIBUTE.lastIndex;
    const [, key = "", ...values] = found;
    const value = decodeReferences(values.find((each) => each !== undefined) ?? "", true);
    const lower = key.toLowerCase();
    if (!attributes.has(lower)) attributes.set(lower, value);
  }
  const last = search(TAG_END, html, at);
  if (!last) return "unclosed";
  const end = TAG_END.lastIndex;
  if (html.charAt(start + 1) === "/") return { type: "close", name, end };
  return { type: "open", name, attributes, isClosed: last[1]?.includes("/") === true, end };
}
