import type { Choices } from "../choices.ts";
import { arithmetic } from "./arithmetic.ts";
import { check } from "./conditions.ts";
import { pattern, quoted, word, words } from "./words.ts";

const JUMPS = [
  "",
  "break",
  "continue",
  "break 2",
  "continue 2",
  "break 9",
  "return 4",
  "break 0",
  "continue x",
];

/** Makes a statement at a depth. */
export type MakeStatement = (choices: Choices, depth: number) => string;

export function compound(choices: Choices, depth: number, statement: MakeStatement): string {
  // A variable of its own for the loops of each depth, which nothing else assigns: they end.
  const l = `loop${depth}`;
  const body = (): string =>
    [statement(choices, depth + 1), ...choices.some(2, () => statement(choices, depth + 1))].join(
      "; ".replace("; ", "\n"),
    );
  switch (choices.below(12)) {
    case 0:
    case 1:
      return ifClause(choices, depth, body);
    case 2:
    case 3:
      return `for ${choices.pick([l, "s"])} in ${words(choices, 3)}; do ${loopBody(choices, body)}\ndone`;
    case 4:
      return `for ((${l}=0; ${l}<${choices.pick(["2", "3", "1+1", "(n>2?2:1)"])}; ${l}++)); do ${loopBody(choices, body)}\ndone; echo $? $${l}`;
    case 5:
      return `${l}=0; ${choices.pick([`while ((${l}++ < 3))`, `until ((${l}++ >= 2))`, `while [ "$((${l}+=1))" -lt 3 ]`, `while ((${l}++ < 2)) && true`])}; do ${loopBody(choices, body)}\ndone; echo $? $${l}`;
    case 6:
    case 7:
      return caseClause(choices, body);
    case 8:
    case 9:
      return functionOf(choices, body);
    case 10:
      return `{ ${body()}\n}`;
    default:
      return choices.pick([
        `for ${l}; do show "$${l}"; done`,
        `select q in a b; do echo "$q $REPLY"; break; done <<< 2`,
        `if (( ${arithmetic(choices)} )); then ${body()}\nfi`,
        `while read -r q; do ${body()}\nbreak; done <<< ${quoted(choices)}`,
        `for ${l} in 1 2; do for t in x y; do ${loopBody(choices, body)}\ndone; done; echo $${l} $t`,
        `! { ${body()}\n}; echo $?`,
      ]);
  }
}

function ifClause(choices: Choices, depth: number, body: () => string): string {
  const first = `if ${check(choices, depth)}; then ${body()}`;
  const more = choices.some(1, () => `elif ${check(choices, depth)}; then ${body()}`);
  const last = choices.chance(2) ? [`else ${body()}`] : [];
  return `${[first, ...more, ...last].join("\n")}\nfi; echo $?`;
}

function loopBody(choices: Choices, body: () => string): string {
  const jump = choices.pick(JUMPS);
  if (jump === "") return body();
  return choices.pick([
    `${body()}\n${jump}`,
    `${check(choices)} && ${jump}\n${body()}`,
    `if ${check(choices)}; then ${jump}; fi\n${body()}`,
  ]);
}

function caseClause(choices: Choices, body: () => string): string {
  const clause = (): string => {
    const patterns = [pattern(choices), ...choices.some(1, () => pattern(choices))].join("|");
    return `${choices.pick(["", "("])}${patterns}) ${body()}\n${choices.pick([";;", ";;", ";&", ";;&"])}`;
  };
  const clauses = [clause(), ...choices.some(2, clause)];
  return `case ${choices.pick([word, quoted])(choices)} in\n${clauses.join("\n")}\n*) echo default;; esac; echo $?`;
}

function functionOf(choices: Choices, body: () => string): string {
  const name = choices.pick(["f", "g"]);
  const head = choices.pick([
    `${name}() {`,
    `function ${name} {`,
    `${name} ()\n{`,
    `function ${name}() {`,
  ]);
  const locals = choices.pick([
    "",
    "local s=inner",
    "local -a arr=(l1 l2)",
    "local n",
    "local -i n=4+1",
    "local s=$1 t",
    "local IFS=:",
    "local -A map=([k]=l)",
    "local -n r=$1",
    "local -r s=ro",
    "local s t=$s",
    "declare t=dyn",
  ]);
  const end = choices.pick([
    "",
    "return",
    "return 5",
    "return $n",
    "return 256",
    "false",
    "show $#",
    "return -1",
    "return x",
  ]);
  const lines = [head, ...(locals ? [locals] : []), body(), ...(end ? [end] : []), "}"];
  return `${lines.join("\n")}\n${name} ${words(choices, 3)}; echo $? "$s" "$n"`;
}
