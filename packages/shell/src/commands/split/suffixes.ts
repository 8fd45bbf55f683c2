const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const HEXADECIMAL = "0123456789abcdef";
const USUAL_LENGTH = 2;

/**
 * The suffixes of the files of `split`. They become longer as the first character would reach its last value, unless
 * their length is given. `count`: the number of files, when it is known.
 */
export function createSuffixes(
  options: ReadonlyMap<string, string>,
  count?: number,
): { next(): string } {
  const alphabet = options.has("x") ? HEXADECIMAL : options.has("d") ? DIGITS : LETTERS;
  const base = alphabet.length;
  const written = options.get("a");
  if (written !== undefined && !/^\d+$/.test(written))
    throw new Error(`invalid suffix length: '${written}'`);
  const first = options.get("x") || options.get("d") || "0";
  let index = Number.parseInt(first, options.has("x") ? 16 : 10);
  if (Number.isNaN(index)) throw new Error(`invalid start value: '${first}'`);
  const needed = count === undefined ? 0 : digitsOf(index + count - 1, base);
  let length = Number(written) || Math.max(USUAL_LENGTH, needed, index === 0 ? 0 : first.length);
  // A start value and a number of files fix the length, too.
  const isFixed = Number(written) > 0 || count !== undefined || index > 0;
  let [head, limit] = ["", isFixed ? base ** length : base ** length - base ** (length - 1)];
  return {
    next() {
      if (index >= limit) {
        if (isFixed) throw new Error("output file suffixes exhausted");
        head += alphabet.charAt(base - 1);
        length += 1;
        [index, limit] = [0, base ** length - base ** (length - 1)];
      }
      return head + spelled(index++, alphabet, length);
    },
  };
}

function digitsOf(number: number, base: number): number {
  let digits = 1;
  for (let rest = number; rest >= base; rest = Math.floor(rest / base)) digits += 1;
  return digits;
}

function spelled(number: number, alphabet: string, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest = Math.floor(rest / alphabet.length))
    text = alphabet.charAt(rest % alphabet.length) + text;
  return text;
}
