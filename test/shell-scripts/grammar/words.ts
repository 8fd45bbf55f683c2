import type { Choices } from "../choices.ts";
import { arithmetic } from "./arithmetic.ts";

const TEXTS = [
  "a",
  "b",
  "abc",
  "x1",
  "0",
  "7",
  "-1",
  "08",
  "a.b",
  "A",
  "foo",
  "_",
  "=",
  "a=b",
  "é",
  "%d",
];
const QUOTED = [
  "''",
  "'a b'",
  '"a  b"',
  "'*'",
  '"x"',
  "'a\"b'",
  '"it\'s"',
  "'\\n'",
  "$'a\\tb'",
  "$'\\x41\\101\\u00e9'",
  "$'it\\'s\\n'",
  '"\\$a \\\\ \\" \\q"',
  "\\*",
  "a\\ b",
  "' lead'",
  "$'\\ttab '",
  '"a,b:c"',
  "'a:b::c'",
  '"${arr[*]}"',
  '"$*"',
  '"${*%a}"',
];
const GLOBS = [
  "*",
  "*.txt",
  "?",
  "[ab]*",
  ".*",
  "d*/",
  "d*/*",
  "no*such",
  "[!a]*",
  "*[[:digit:]]*",
  "'*'.txt",
  "{a,b}.txt",
];
const BRACES = [
  "{a,b}",
  "{1..3}",
  "{3..1}",
  "{a..e..2}",
  "{01..3}",
  "x{,y}",
  "{a,{b,c}}d",
  "{a}",
  "{1..4..2}",
  "{a,b}{1,2}",
  "{'a b',c}",
  "{-1..1}",
  "a{b",
  "{,}",
  "\\{a,b}",
  "{c..a}",
];

/** Names of variables: texts, numbers, one that is empty and one that is not set. */
const SCALARS = ["s", "t", "n", "m", "empty", "unset"];
const LISTS = ["arr[@]", "@", "map[@]", "arr[*]", "*"];
/** Between quotes, `*` next to `@` is split in a way of bash that no manual describes. */
const QUOTED_LISTS = LISTS.slice(0, 3);
const ELEMENTS = [
  "arr[0]",
  "arr[1]",
  "arr[-1]",
  "arr[9]",
  "arr[n]",
  "map[k]",
  "map[none]",
  "1",
  "2",
  "map[$s]",
  "arr",
  "map['a b']",
  "arr[1+1]",
];

export function scalarName(choices: Choices): string {
  return choices.pick(SCALARS);
}

/** A word of a command: unquoted, quoted, or of several parts. */
export function word(choices: Choices, depth = 0): string {
  const parts = [part(choices, depth)];
  while (parts.length < 3 && choices.chance(4)) parts.push(part(choices, depth));
  return parts.join("");
}

export function words(choices: Choices, most: number, depth = 0): string {
  return choices.some(most, () => word(choices, depth)).join(" ");
}

function part(choices: Choices, depth: number): string {
  switch (choices.below(12)) {
    case 0:
    case 1:
      return choices.pick(TEXTS);
    case 2:
      return choices.pick(QUOTED);
    case 3:
      return choices.pick(BRACES);
    case 4:
      return choices.pick(GLOBS);
    case 5:
    case 6:
      return parameter(choices, depth);
    case 7:
      return choices.chance(20) ? substitution(choices, depth) : parameter(choices, depth);
    case 8:
      return `$((${arithmetic(choices)}))`;
    case 9:
      return choices.chance(8)
        ? choices.pick(["~/", "a~", "'~'", "a:~", "a=~/"])
        : choices.pick(TEXTS);
    default:
      return quoted(choices, depth);
  }
}

/** A word in double quotes, with expansions in it. */
export function quoted(choices: Choices, depth = 0): string {
  const make = (): string => {
    if (choices.below(3) === 0)
      return choices.pick(["x", " ", "'", "a b", "*", ":", "\\\\", "\\$", "~", "{a,b}"]);
    return choices.chance(40) ? substitution(choices, depth) : parameter(choices, depth, true);
  };
  return `"${[make(), ...choices.some(2, make)].join("")}"`;
}

const COMMANDS = [
  "echo a",
  "echo 'a b'",
  "printf 'x\\ny\\n\\n'",
  "echo $s",
  'echo "$t"',
  "echo ${arr[@]}",
  "false",
  "echo $((n+1))",
  ": nothing",
  "echo $?",
  "(echo in; exit 3)",
  'echo "${s:-"q r"}"',
  "<a.txt",
  "< a.txt read -r q; echo $q",
];

function substitution(choices: Choices, depth: number): string {
  const command = choices.pick(COMMANDS);
  if (depth < 1 && choices.chance(5)) return `$(echo ${word(choices, depth + 1)})`;
  return choices.chance(5) && !/["\\`]/.test(command) ? `\`${command}\`` : `$(${command})`;
}

/** A parameter with one of its operations. */
export function parameter(choices: Choices, depth = 0, isQuoted = false): string {
  const kind = choices.below(8);
  if (kind === 0)
    return `$${choices.pick(["s", "t", "n", "m", "empty", "1", "@", "#", "?", "unset", "arr", isQuoted ? "2" : "*"])}`;
  if (kind === 1)
    return choices.pick([
      "${#s}",
      "${#arr[@]}",
      "${#t}",
      "${#map[@]}",
      "${#@}",
      "${#arr[1]}",
      "${!arr[@]}",
      "${!ref}",
      "${#empty}",
      "${#*}",
      "${!ref2}",
      "${!unset_*}",
      "${##}",
      "${#?}",
      "${#1}",
    ]);
  const isList = kind === 2;
  const name = isList
    ? choices.pick(isQuoted ? QUOTED_LISTS : LISTS)
    : choices.chance(3)
      ? choices.pick(ELEMENTS)
      : scalarName(choices);
  return `\${${name}${operation(choices, { depth, isQuoted, name })}}`;
}

interface Place {
  readonly depth: number;
  readonly isQuoted: boolean;
  readonly name: string;
}

function operation(choices: Choices, { depth, isQuoted, name }: Place): string {
  const inner = (): string => operand(choices, depth, isQuoted);
  switch (choices.below(16)) {
    case 0:
      return "";
    case 1:
    case 2: {
      const isAssignable = /^[a-z]/.test(name) && !/[@*]/.test(name);
      return choices.pick([":-", "-", ":+", "+", ...(isAssignable ? [":=", "="] : [])]) + inner();
    }
    case 3:
      return choices.chance(12) ? choices.pick([":?", "?"]) + inner() : `:+${inner()}`;
    case 4:
    case 5:
    case 6:
      return choices.pick(["#", "##", "%", "%%"]) + pattern(choices, depth);
    case 7:
    case 8:
    case 9:
      return `${choices.pick(["/", "//", "/#", "/%"])}${pattern(choices, depth)}${choices.pick(["/", ""])}${choices.pick(["-", "", "[&]", "\\&", '"&"', "$s", "'x y'", "a/b", "a\\/"])}`;
    case 10:
    case 11:
      return name === "map[@]" ? "" : substringOf(choices);
    case 12:
    case 13:
      return (
        choices.pick(["^", "^^", ",", ",,"]) + (choices.chance(3) ? pattern(choices, depth) : "")
      );
    default:
      return `@${choices.pick(["Q", "U", "L", "u", "E", "a", "A", "K", "k"])}`;
  }
}

function substringOf(choices: Choices): string {
  const offset = choices.pick([
    "0",
    "1",
    "2",
    " -1",
    " -2",
    "n",
    "9",
    "1+1",
    "(-3)",
    "$n",
    "s?1:2",
  ]);
  const length = choices.pick(["", ":1", ":2", ":0", ":-1", ":n", ":", ":9"]);
  return `:${offset}${length}`;
}

function operand(choices: Choices, depth: number, isQuoted: boolean): string {
  // Between quotes, bash splits an escaped space where a list is beside it.
  const escaped = isQuoted ? "a\\-b" : "a\\ b";
  const plain = ["x", "", "a b", "*", "'q r'", '"q r"', "\\}", "$n", "'$s'", "~", escaped];
  if (depth > 1 || choices.below(3) > 0) return choices.pick(plain);
  const nested = parameter(choices, depth + 1, isQuoted);
  return choices.pick([nested, `"${nested}"`, `x${nested}`, `${nested} y`]);
}

const PATTERNS = [
  "a",
  "*",
  "?",
  "a*",
  "*b",
  "[ab]",
  "[!a]",
  "b*",
  "*.",
  "[[:alpha:]]",
  "[a-c]",
  "\\*",
  "'*'",
  " ",
  "[[:space:]]",
  "*[0-9]",
  "?(a)",
  "*:",
  "[a",
  "\\a",
  "x*y",
  "??",
];
const EXTENDED = [
  "@(a|b)",
  "!(a)",
  "+([a-c])",
  "*(a|b)",
  "?(a)b",
  "!(*b*)",
  "+(a|*)",
  "@(a*|b)c",
  "*([[:digit:]])",
  "!(a|b)*",
  "+(?)",
  "a!(b)c",
];

export function pattern(choices: Choices, depth = 0): string {
  switch (choices.below(7)) {
    case 0:
    case 1:
    case 2:
      return choices.pick(PATTERNS);
    case 3:
      return choices.pick(EXTENDED);
    case 4:
      return choices.pick(PATTERNS) + choices.pick(PATTERNS);
    case 5:
      return depth > 1
        ? "$s"
        : choices.pick(["$s", '"$s"', "$t", "${s:0:1}", "${s%?}*", "*$n", "$unset"]);
    default:
      return choices.pick(EXTENDED) + choices.pick(PATTERNS);
  }
}
