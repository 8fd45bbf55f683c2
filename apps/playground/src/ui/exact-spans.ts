import { visibleText } from "@robota/runtime/permissions";

/** A piece of displayed text. */
export interface ExactSpan {
  text: string;
  /** Stands for invisible characters, or for so many spaces that they would push the rest out of sight. */
  isMark: boolean;
}

/** More consecutive spaces or tabs than code is indented by. */
const LONG_BLANK = /( {101,}|\t{41,})/;

/**
 * The whole text, with invisible characters escaped: `\u{1b}` for an escape, `[3000 spaces]` for a long blank. For
 * approvals: a person must see everything that would run.
 */
export function exactSpans(text: string): ExactSpan[] {
  return text.split(LONG_BLANK).flatMap((part) => {
    if (part === "") return [];
    if (LONG_BLANK.test(part)) return [{ text: blankMark(part), isMark: true }];
    return visibleText(part) === part ? [{ text: part, isMark: false }] : marked(part);
  });
}

function blankMark(blank: string): string {
  return `[${blank.length} ${blank.startsWith(" ") ? "spaces" : "tabs"}]`;
}

function marked(text: string): ExactSpan[] {
  const spans: ExactSpan[] = [];
  for (const char of text) {
    const shown = visibleText(char);
    const isMark = shown !== char;
    const last = spans.at(-1);
    if (last?.isMark === isMark) last.text += shown;
    else spans.push({ text: shown, isMark });
  }
  return spans;
}
