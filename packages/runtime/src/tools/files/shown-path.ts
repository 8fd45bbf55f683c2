/** Characters that would end a line of a list, act on a terminal or turn the text around. Spaces of all kinds stay: names have them. */
const DISTURBING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A path for a list of one path per line: a line break in a name can't pass for the next file; it is shown as `\u{a}`. */
export function shownPath(path: string): string {
  return path.replace(
    DISTURBING,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
