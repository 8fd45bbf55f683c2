import type { Choices } from "../choices.ts";

const NUMBERS = [
  "0",
  "1",
  "2",
  "7",
  "-1",
  "010",
  "0x1F",
  "2#101",
  "36#zZ",
  "9223372036854775807",
  "4294967296",
  "64#_",
  "100",
  "-9223372036854775808",
  "08",
  "9223372036854775808",
  "16#ff",
];
const VARIABLES = [
  "n",
  "m",
  "unset",
  "arr[0]",
  "arr[1]",
  "map[k]",
  "empty",
  "$n",
  "${#s}",
  "n ",
  "arr[n-n]",
  "expression",
];
const TARGETS = ["n", "m", "i", "arr[0]", "arr[2]", "map[k]", "map[new]"];
const BINARY = [
  "+",
  "-",
  "*",
  "/",
  "%",
  "<<",
  ">>",
  "&",
  "|",
  "^",
  "&&",
  "||",
  "==",
  "!=",
  "<",
  ">",
  "<=",
  ">=",
  "**",
  ",",
];

/** An expression of 64-bit integers; a few of them are wrong. */
export function arithmetic(choices: Choices, depth = 0): string {
  const kind = choices.below(depth > 1 ? 4 : 11);
  const inner = (): string => arithmetic(choices, depth + 1);
  switch (kind) {
    case 0:
    case 1:
      return choices.pick(NUMBERS);
    case 2:
    case 3:
      return choices.pick(VARIABLES);
    case 4:
    case 5:
    case 6:
      return `${inner()} ${choices.pick(BINARY)} ${inner()}`;
    case 7:
      return `(${inner()})`;
    case 8:
      return choices.pick(["-", "!", "~", "+", "- -", "!!"]) + inner();
    case 9:
      return choices.chance(2)
        ? `${inner()} ? ${inner()} : ${inner()}`
        : choices.pick(["n++", "++m", "n--", "--n", "arr[1]++", "i++ + ++i", "map[k]++"]);
    default:
      return choices.chance(20)
        ? choices.pick([
            "1 +",
            "* 2",
            "1 2",
            "a b",
            "1 = 2",
            "(1",
            "3#9",
            "1++",
            "'1'",
            "n +* 2",
            "1 ? 2",
            "0x",
            "2**-1",
            "1.5",
          ])
        : `${choices.pick(TARGETS)} ${choices.pick(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="])} ${inner()}`;
  }
}
