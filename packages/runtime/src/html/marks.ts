import { decodeReferences } from "./entities.ts";

/** Where a text stands, which decides what it must not look like. */
export interface TextPlace {
  isLineStart: boolean;
  isLink: boolean;
  isCell: boolean;
}

/** Characters that would begin a mark of Markdown anywhere. An underscore within a word does not. */
const MARKS = /[\\`*[~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[a-z!/?])/giu;
const REFERENCE = /&#?[a-z\d]+;/gi;
const LINE_MARKS =
  /^(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|-(?=[- ]*$)|=(?==*$)|>|\d{1,9}(?=[.)](?:\s|$)))/;

/** Escapes what Markdown would read as a mark. */
export function escapeText(text: string, { isLineStart, isLink, isCell }: TextPlace): string {
  let escaped = text
    .replace(MARKS, String.raw`\$&`)
    .replace(REFERENCE, (each) => (decodeReferences(each) === each ? each : `\\${each}`));
  if (isLink) escaped = escaped.replaceAll("]", String.raw`\]`);
  if (isCell) escaped = escaped.replaceAll("|", String.raw`\|`);
  if (!isLineStart) return escaped;
  return escaped.replace(LINE_MARKS, (mark) =>
    // The dot or parenthesis after a number has the backslash.
    /\d/.test(mark) ? `${mark}\\` : `\\${mark}`,
  );
}

/** `code` between as many backticks as it takes. */
export function codeSpan(code: string, isCell: boolean): string {
  const text = isCell ? code.replaceAll("|", String.raw`\|`) : code;
  const ticks = "`".repeat(longestRun(text, "`") + 1);
  const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return ticks + space + text + space + ticks;
}

/** A line for before and after `code`, longer than any like it inside. */
export function fenceFor(code: string, fence: string): string {
  const mark = fence.charAt(0);
  let length = fence.length;
  for (const line of code.split("\n"))
    if (line.trim().startsWith(mark)) length = Math.max(length, longestRun(line, mark) + 1);
  return mark.repeat(length);
}

function longestRun(text: string, mark: string): number {
  let longest = 0;
  let run = 0;
  for (const character of text) {
    run = character === mark ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** The part of a link or an image in parentheses. */
export function linkTarget(address: string, title: string | undefined, isCell: boolean): string {
  const text = (isCell ? address.replaceAll("|", "%7C") : address).trim().replace(/[\t\n\r]/g, "");
  const target = /[\s()<>]/.test(text) ? `<${text.replace(/[<>\\]/g, String.raw`\$&`)}>` : text;
  return title
    ? `${target} "${title.replace(/[\\"]/g, String.raw`\$&`).replace(/\s+/g, " ")}"`
    : target;
}
