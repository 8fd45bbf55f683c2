const FENCE = /^ {0,3}(`{3,8}|~{3,8})/;
/** Space for the end of a code block. */
const FENCE_SPACE = 9;

/** A text cut to a length, and the number of characters that were cut off. */
export interface CutText {
  text: string;
  cutOff: number;
}

/**
 * The beginning of a Markdown text, at most `length` characters of it: up to the end of a paragraph, else of a line, else
 * of a character. Closes a code block that is open there.
 */
export function cutText(text: string, length: number): CutText {
  if (text.length <= length) return { text, cutOff: 0 };
  const most = length - FENCE_SPACE;
  const { paragraph, line, fence } = endsWithin(text, most);
  // An early end would waste most of the space.
  const end =
    [paragraph, line].find((candidate) => candidate > most / 2) ?? wholeCharacters(text, most);
  const kept = text.slice(0, end).trimEnd();
  const isInFence = end !== paragraph && fence !== "";
  return { text: isInFence ? `${kept}\n${fence}` : kept, cutOff: text.length - kept.length };
}

/** The ends of the last paragraph outside of code blocks and of the last line, and the fence that is open there. */
function endsWithin(
  text: string,
  length: number,
): { paragraph: number; line: number; fence: string } {
  let paragraph = 0;
  let line = 0;
  let fence = "";
  for (let start = 0; start < length;) {
    const end = text.indexOf("\n", start);
    if (end === -1 || end > length) break;
    const content = text.slice(start, end);
    const [, mark = ""] = FENCE.exec(content) ?? [];
    if (fence === "" && mark !== "") fence = mark;
    else if (fence !== "" && mark.startsWith(fence)) fence = "";
    if (fence === "" && content.trim() === "") paragraph = start;
    line = end;
    start = end + 1;
  }
  return { paragraph, line, fence };
}

/** A pair of surrogates stays together. */
function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1);
  return last >= 0xd800 && last < 0xdc00 ? length - 1 : length;
}
