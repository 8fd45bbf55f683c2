import { randomFrom } from "../../shell-lines/generate.ts";

interface Dice {
  pick: (values: readonly string[]) => string;
  below: (limit: number) => number;
}

/** What `damage` puts in or takes out: whatever means something to a shell. */
const PIECES = [
  ...Array.from("(){}[]<>|&;!#$`'\"\\=*?@+-:/%^,~ \n"),
  "$(",
  "${",
  "$((",
  "((",
  "))",
  "[[",
  "]]",
  " ]] ",
  ";;",
  ";&",
  "&&",
  "||",
  "|&",
  "<<",
  "<<<",
  "&>",
  " if ",
  "; then ",
  " else ",
  "; fi",
  " do ",
  "; done",
  " case ",
  " in ",
  " esac",
  " for ",
  " while ",
  " function ",
  " time ",
  " { ",
  "; }",
  " ! ",
  "a=(",
  "a[",
  "EOF\n",
];

/** A script of bash's whole grammar; the same for the same seed. A damaged one has lost or gained a piece somewhere. */
export function randomScript(seed: number, { isDamaged }: { isDamaged: boolean }): string {
  const below = randomFrom(seed);
  const dice: Dice = { below, pick: (values) => values[below(values.length)] ?? "" };
  const script = list(dice, 3);
  return isDamaged ? damage(dice, script) : script;
}

function damage({ pick, below }: Dice, script: string): string {
  let text = script;
  for (let count = 1 + below(2); count > 0; count--) {
    const at = below(text.length + 1);
    const end = below(2) === 0 ? at : Math.min(text.length, at + 1 + below(4));
    text = text.slice(0, at) + (below(3) === 0 ? "" : pick(PIECES)) + text.slice(end);
  }
  return text;
}

function list(dice: Dice, depth: number): string {
  const { pick, below } = dice;
  let text = item(dice, depth);
  for (let count = below(3); count > 0; count--)
    text +=
      pick(["; ", "\n", " && ", " || ", " | ", " |& ", " & ", ";\n", " &&\n", " # c\n", "\n\n"]) +
      item(dice, depth);
  return text;
}

function item(dice: Dice, depth: number): string {
  const { pick, below } = dice;
  if (depth === 0 || below(3) === 0) return simple(dice, depth);
  const inner = (): string => list(dice, depth - 1);
  const kinds: readonly (() => string)[] = [
    () => `if ${inner()}; then ${inner()}; fi`,
    () => `if ${inner()}\nthen ${inner()}\nelif ${inner()}; then :; else ${inner()}; fi`,
    () => `while ${inner()}; do ${inner()}; done`,
    () => `until ${inner()}\ndo\n${inner()}\ndone`,
    () => `for i in ${word(dice, depth)} ${word(dice, depth)}; do ${inner()}; done`,
    () => `for i; do ${inner()}; done`,
    () => `for ((i=0; i<3; i++)); do ${inner()}; done`,
    () => `select i in a b; do ${inner()}; done`,
    () => `case ${word(dice, depth)} in a|b*) ${inner()};; (c) ${inner()} ;& *) ;; esac`,
    () => `case x in\n  ${word(dice, depth)})\n    ${inner()}\n    ;;&\nesac`,
    () => `{ ${inner()}; }`,
    () => `(${inner()})`,
    () => `( ( ${inner()} ) )`,
    () => `f() { ${inner()}; }`,
    () => `function f { ${inner()}; }`,
    () => `function g() ( ${inner()} )`,
    () => `[[ ${condition(dice, depth)} ]]`,
    () => `(( a += ${below(9)} * (2 + 1) ))`,
    () => `! ${inner()}`,
    () => `time ${pick(["", "-p "])}echo ${word(dice, 0)}`,
    () => `coproc { ${inner()}; }`,
    () => `{ ${inner()}; } > out 2>&1`,
    () => `cat <<EOF${pick(["", " | cat", "; :"])}\nx ${word(dice, depth)}\nEOF\n`,
    () => `cat <<-'E O' <<B\n\tx $(\n\tE O\n$y\nB\n`,
  ];
  return kinds[below(kinds.length)]?.() ?? "";
}

function simple(dice: Dice, depth: number): string {
  const { pick, below } = dice;
  const before = pick(["", "", "", "A=1 ", "A=1 b[2]=x ", "a+=( 1 [4]=2 $x ) ", "> f "]);
  const name = pick(["echo", ":", "true", "cat", "declare -a q=(1 2)", "test -f", "\\ls", "l'l'"]);
  let text = before + name;
  for (let count = below(4); count > 0; count--) text += ` ${word(dice, depth)}`;
  return (
    text + pick(["", "", "", " > f", " 2>&1", " <f >>g", " &> h", " <<< x", " {fd}> q", " >&-"])
  );
}

function word(dice: Dice, depth: number): string {
  const { pick, below } = dice;
  let text = "";
  for (let count = 1 + below(2); count > 0; count--) {
    if (depth === 0 || below(2) === 0) text += pick(WORDS);
    else {
      const inner = list(dice, depth - 1);
      const kinds = [
        `$(${inner})`,
        `"$(${inner})"`,
        `\`echo ${below(9)}\``,
        `<(${inner})`,
        `\${x:-${word(dice, depth - 1)}}`,
        `"\${x:+$(${inner})}"`,
        `"a \${y#"${pick(WORDS.slice(0, 8))}"} b"`,
        `$(( 1 + $(${inner}) ))`,
      ];
      text += pick(kinds);
    }
  }
  return text;
}

const WORDS = [
  "a",
  "b1",
  "*.c",
  "~/x",
  "{a,b}",
  "{1..3}",
  "-n",
  "a=b",
  "'q r'",
  '"d $e"',
  "$f",
  "${g}",
  "${#h}",
  "${i[@]}",
  '"${j[*]%x}"',
  "${k//a/b}",
  "${l:1:2}",
  "${!m}",
  "$'\\n\\''",
  '$"loc"',
  "$((1+2))",
  "$[3]",
  "\\;",
  "\\\n",
  "$1",
  "$@",
  "$",
  "a#b",
  "if",
  "done",
  "[x]",
  "!",
];

function condition(dice: Dice, depth: number): string {
  const { pick } = dice;
  if (depth > 0 && dice.below(3) === 0) {
    const [left, right] = [condition(dice, depth - 1), condition(dice, depth - 1)];
    return pick([
      `${left} && ${right}`,
      `${left} || ${right}`,
      `( ${left} )`,
      `! ${left}`,
      `${left} &&\n${right}`,
    ]);
  }
  return pick([
    "-f x",
    "a",
    "$x",
    "a == b*",
    "$x != @(a|b)",
    "a < b",
    "$x =~ ^(a|b)+$",
    "$x =~ [[:alpha:]]",
    "3 -lt $y",
    "-z $z",
    "a -nt b",
  ]);
}
