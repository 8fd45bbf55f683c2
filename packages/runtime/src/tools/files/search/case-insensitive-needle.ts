/** ASCII without the two letters that also match characters outside of it: `K` (kelvin) and `ſ` (long s). */
const PLAIN = /[\0-JL-RT-jl-rt-\x7f]+/g;

/** The longest part of a text with only two cases per letter under case-insensitive matching. */
export function caseInsensitiveNeedle(text: string): string {
  let longest = "";
  for (const [part] of text.matchAll(PLAIN)) if (part.length > longest.length) longest = part;
  return longest;
}
