/** A piece of terminal output with one look. `color` is one of the eight names of `ansi.css`. */
export interface AnsiSpan {
  text: string;
  color?: string;
  bold?: boolean;
  dim?: boolean;
}

const colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const sequence =
  // oxlint-disable-next-line no-control-regex -- escape sequences are control characters
  /\u001b(?:\[([\d;:]*)([A-Za-z])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][A-Z0-9]|[=>])/g;

/** Splits output at its colour codes; every other escape sequence is dropped. */
export function ansiSpans(output: string): AnsiSpan[] {
  const spans: AnsiSpan[] = [];
  let look: Omit<AnsiSpan, "text"> = {};
  let at = 0;
  for (const match of output.matchAll(sequence)) {
    if (match.index > at) spans.push({ text: output.slice(at, match.index), ...look });
    if (match[2] === "m") look = applyCodes(look, match[1] ?? "");
    at = match.index + match[0].length;
  }
  if (at < output.length) spans.push({ text: output.slice(at), ...look });
  return spans;
}

function applyCodes(before: Omit<AnsiSpan, "text">, codes: string): Omit<AnsiSpan, "text"> {
  let look = before;
  const numbers = (codes || "0").split(/[;:]/).map(Number);
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index] ?? 0;
    if (code === 0) look = {};
    else if (code === 1) look = { ...look, bold: true };
    else if (code === 2) look = { ...look, dim: true };
    else if (code === 22) look = look.color ? { color: look.color } : {};
    else if (code === 39) {
      const { color: _, ...rest } = look;
      look = rest;
    } else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      const color = colors[code % 10];
      if (color) look = { ...look, color };
    } else if (code === 38 || code === 48) {
      // A palette index or three components follow; the palette of the page has only the eight names.
      index += numbers[index + 1] === 5 ? 2 : 4;
    }
  }
  return look;
}
