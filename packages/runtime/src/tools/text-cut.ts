/** The first `length` code units of a text, one less where that would split a surrogate pair. */
export function cutEnd(text: string, length: number): string {
  return text.slice(0, splitsPair(text, length) ? length - 1 : length);
}

/** The last `length` code units of a text, one less where that would split a surrogate pair. */
export function cutStart(text: string, length: number): string {
  const from = Math.max(0, text.length - length);
  return text.slice(splitsPair(text, from) ? from + 1 : from);
}

function splitsPair(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return false;
  return isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Formats a number for people: `1,234`. The same on every host and locale. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
