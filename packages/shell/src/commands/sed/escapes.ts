const CONTROLS: Readonly<Record<string, string>> = {
  a: "\u0007",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const CODES: Readonly<Record<string, number>> = { d: 10, o: 8, x: 16 };

/** An escape that stands for one character, without its backslash. */
const ESCAPE = /^(?:[afnrtv]|d(\d{1,3})|o([0-7]{1,3})|x([\da-fA-F]{1,2})|c([^\\\n]))/;

/** The character that an escape behind a backslash stands for, and the length of the escape. */
export function readEscape(
  text: string,
  at: number,
): { character: string; length: number } | undefined {
  const [whole, ...operands] = ESCAPE.exec(text.slice(at, at + 4)) ?? [];
  if (whole === undefined) return undefined;
  const kind = whole.charAt(0);
  const operand = operands.find((each) => each !== undefined) ?? "";
  const code =
    kind === "c"
      ? operand.toUpperCase().charCodeAt(0) ^ 64
      : Number.parseInt(operand, CODES[kind] ?? 10);
  const character = whole.length === 1 ? CONTROLS[kind] : String.fromCharCode(code);
  return { character: character ?? "", length: whole.length };
}
