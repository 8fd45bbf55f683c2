/** Scripts without spaces between words: each pair of adjacent characters is a term. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/** The index terms of a text: words without case and plural ending, parts of compound names, pairs of characters. */
export function termsOf(text: string): string[] {
  // `camelCase` is two words; `snake_case` and `kebab-case` are by their signs.
  const spaced = text.normalize("NFKC").replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2");
  const terms: string[] = [];
  for (const [word] of spaced.toLowerCase().matchAll(WORD)) {
    const rest = word.replaceAll(UNSPACED, (run) => {
      terms.push(...pairsOf(run));
      return " ";
    });
    for (const part of rest.split(" ")) if (part !== "") terms.push(singular(part));
  }
  return terms;
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
