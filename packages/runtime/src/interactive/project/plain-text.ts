const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A stranger's text as one line of data: without control, bidirectional and other invisible characters, and cut to
 * `length` characters. `undefined` when nothing is left, or for anything but a text.
 */
export function plainText(value: unknown, length: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const line = value
    .slice(0, length * 10)
    .replace(/\s/g, " ")
    .replace(INVISIBLE, "")
    .replace(/ {2,}/g, " ")
    .trim();
  // The end may be in the middle of a pair of surrogates.
  return line === "" ? undefined : line.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}
