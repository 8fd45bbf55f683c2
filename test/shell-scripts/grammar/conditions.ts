import type { Choices } from "../choices.ts";
import { arithmetic } from "./arithmetic.ts";
import { parameter, pattern, quoted, scalarName, word } from "./words.ts";

const EXPRESSIONS = [
  "^a",
  "b$",
  "^[a-c]+$",
  "(a)(b)?",
  "^$",
  "a|b",
  "[[:digit:]]+",
  "^(.)(.*)$",
  "x{2}",
  "\\.",
  "'.'",
  '"$s"',
  "$s",
  "^a.*[bc]$",
  "(a|(b))c?",
  "[^a]",
  "(^|,)b",
  "\\$",
  "a\\ b",
  "^(a|ab)(c|bcd)?(d*)$",
  "[",
];
const FILES = ["a.txt", "dir", "none", ".hid", "run.sh", "'sp ace'", "dir/d.txt", "link"];

export function conditional(choices: Choices, depth = 0): string {
  return `[[ ${condition(choices, depth)} ]]`;
}

function condition(choices: Choices, depth: number): string {
  const left = (): string => choices.pick([parameter, quoted, word])(choices, 1);
  switch (choices.below(depth > 1 ? 7 : 10)) {
    case 0:
      return `${choices.pick(["-n", "-z"])} ${parameter(choices, 1)}`;
    case 1:
      return `${left()} ${choices.pick(["==", "!=", "="])} ${pattern(choices, 1)}`;
    case 2:
      return `${left()} =~ ${choices.pick(EXPRESSIONS)}`;
    case 3:
      return `${choices.pick(["n", "$n", "m", "1", "arr[0]", "unset", "n+1", '"$s"', "08"])} ${choices.pick(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])} ${choices.pick(["1", "$m", "n", "3", "0x10"])}`;
    case 4:
      return `-${choices.pick(["e", "f", "d", "s", "r", "x", "L", "h", "p", "w", "b"])} ${choices.pick(FILES)}`;
    case 5:
      return `-v ${choices.pick(["s", "unset", "empty", "arr", "arr[0]", "arr[9]", "map[k]", "map[none]", "map", "arr[@]", "1", "@"])}`;
    case 6:
      return `${left()} ${choices.pick(["<", ">"])} ${choices.pick(["b", '"$s"', "$t", "''"])}`;
    case 7:
      return `! ${condition(choices, depth + 1)}`;
    case 8:
      return `( ${condition(choices, depth + 1)} )`;
    default:
      return `${condition(choices, depth + 1)} ${choices.pick(["&&", "||"])} ${condition(choices, depth + 1)}`;
  }
}

function classicTest(choices: Choices): string {
  const value = (): string =>
    choices.pick([
      `"$${scalarName(choices)}"`,
      "a",
      '""',
      `$${scalarName(choices)}`,
      "1",
      "!",
      "-n",
      "=",
      "'('",
    ]);
  const body = choices.pick([
    () => `-n ${value()}`,
    () => `${value()} = ${value()}`,
    () =>
      `${value()} ${choices.pick(["!=", "-eq", "-lt", "\\<", "==", "-gt", "-nt", "-a", "-o"])} ${value()}`,
    () => `! ${value()} = ${value()}`,
    () => value(),
    () => "",
    () =>
      `-${choices.pick(["f", "d", "e", "z", "s", "v"])} ${choices.pick([...FILES, "arr[0]", "s"])}`,
    () => `${value()} = a ${choices.pick(["-a", "-o"])} -z ${value()}`,
    () => `\\( ${value()} = a \\)`,
    () => `${value()} ${value()} ${value()} ${value()}`,
  ])();
  return choices.chance(3) ? `test ${body}` : `[ ${body} ]`;
}

/** A command that succeeds or fails, for `if`, `while`, `&&` and `||`. */
export function check(choices: Choices, depth = 0): string {
  switch (choices.below(6)) {
    case 0:
      return choices.pick(["true", "false", ":", "return_3", "! true", "! false"]);
    case 1:
      return `((${arithmetic(choices)}))`;
    case 2:
    case 3:
      return conditional(choices, depth);
    default:
      return classicTest(choices);
  }
}
