/** All of ASCII but the two letters that also stand for signs outside of it: `K` (kelvin) and `ſ` (long s). */
const PLAIN = /[\0-JL-RT-jl-rt-\x7f]+/g;

/** The longest part of a text that can only be written in capital or small letters, whoever ignores case. */
export function caseInsensitiveNeedle(text: string): string {
  let longest = "";
  for (const [part] of text.matchAll(PLAIN)) if (part.length > longest.length) longest = part;
  return longest;
}
