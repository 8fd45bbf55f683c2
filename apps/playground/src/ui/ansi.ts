/** A piece of terminal output with one look. `color` is one of the eight names of `output-block.css`. */
export interface AnsiSpan {
  text: string;
  color?: string;
  bold?: boolean;
  dim?: boolean;
  underline?: boolean;
}

type Look = Omit<AnsiSpan, "text">;

export interface AnsiOptions {
  /** Keeps every sequence that is not a colour in the text, for readers who must see all of it. */
  keepsOthers?: boolean;
}

const colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const sequence =
  // oxlint-disable-next-line no-control-regex -- escape sequences are control characters
  /\u001b(?:\[([\d;:]*)([A-Za-z])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][A-Z0-9]|[=>])/g;

/** Splits output at its colour codes; every other escape sequence is dropped, unless it is to be kept. */
export function ansiSpans(output: string, { keepsOthers = false }: AnsiOptions = {}): AnsiSpan[] {
  const spans: AnsiSpan[] = [];
  let look: Look = {};
  let at = 0;
  for (const match of output.matchAll(sequence)) {
    const isColor = match[2] === "m";
    if (!isColor && keepsOthers) continue;
    if (match.index > at) spans.push({ text: output.slice(at, match.index), ...look });
    if (isColor) look = applyCodes(look, match[1] ?? "");
    at = match.index + match[0].length;
  }
  if (at < output.length) spans.push({ text: output.slice(at), ...look });
  return spans;
}

function applyCodes(before: Look, codes: string): Look {
  let look = before;
  const numbers = (codes || "0").split(/[;:]/).map(Number);
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index] ?? 0;
    // A palette index or three components follow; the palette of the page has only the eight names.
    if (code === 38 || code === 48) index += numbers[index + 1] === 5 ? 2 : 4;
    else look = applyCode(look, code);
  }
  return look;
}

function applyCode(look: Look, code: number): Look {
  switch (code) {
    case 0:
      return {};
    case 1:
      return { ...look, bold: true };
    case 2:
      return { ...look, dim: true };
    case 4:
      return { ...look, underline: true };
    case 22:
      return without(without(look, "bold"), "dim");
    case 24:
      return without(look, "underline");
    case 39:
      return without(look, "color");
    default: {
      const isColor = (code >= 30 && code <= 37) || (code >= 90 && code <= 97);
      const color = isColor ? colors[code % 10] : undefined;
      return color ? { ...look, color } : look;
    }
  }
}

function without(look: Look, name: keyof Look): Look {
  const { [name]: _, ...rest } = look;
  return rest;
}
