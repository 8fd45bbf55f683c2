import type { Choices } from "../choices.ts";
import { arithmetic } from "./arithmetic.ts";
import { assignment, declare, getopts, mapfile, other, printf, read, set } from "./builtins.ts";
import { check, conditional } from "./conditions.ts";
import { compound } from "./compounds.ts";
import { pattern, quoted, word, words } from "./words.ts";

/** One in so many commands starts programs or processes, which cost a hundred times as much as others. */
const RARE = 12;

export function statement(choices: Choices, depth = 0): string {
  switch (choices.below(depth > 2 ? 10 : 16)) {
    case 0:
    case 1:
    case 2:
      return `show ${words(choices, 4)}`;
    case 3:
    case 4:
      return assignment(choices);
    case 5:
      return `${choices.pick(["((", "let "])}${choices.pick(["n", "m", "n++", "n=m", "n+=2", "m--"])}`.replace(
        /^\(\((.*)$/,
        "(( $1 ))",
      );
    case 6:
      return `echo $((${arithmetic(choices)}))`;
    case 7:
      return `${check(choices, depth)}; echo $?`;
    case 8:
      return printf(choices);
    case 9:
      return `${check(choices, depth)} ${choices.pick(["&&", "||"])} ${simple(choices)}`;
    case 10:
      return choices.pick([declare, read, mapfile, getopts, set])(choices);
    case 11:
      return other(choices);
    case 12:
      return choices.below(RARE) < 5 ? costly(choices, depth) : matched(choices);
    default:
      return compound(choices, depth, statement);
  }
}

/** A command that prints its words, or changes a variable. */
function simple(choices: Choices): string {
  return choices.pick([
    () => `show ${word(choices)}`,
    () => `echo ${quoted(choices)}`,
    () => assignment(choices),
    () => "echo $?",
  ])();
}

/** Matches a pattern in each of the ways to do that. */
function matched(choices: Choices): string {
  const source = pattern(choices);
  const subject = choices.pick(["$s", '"$t"', "abc", "a.b", "'a b'", "''", "ab12", "${arr[0]}"]);
  return choices.pick([
    `x=${subject}; show "\${x#${source}}" "\${x##${source}}" "\${x%${source}}" "\${x%%${source}}" "\${x/${source}/-}" "\${x//${source}/-}"`,
    `[[ ${subject} == ${source} ]]; echo $?`,
    `case ${subject} in ${source}) echo yes;; *) echo no;; esac`,
    `show ${source} ${source}*`,
    `${conditional(choices)}; show $? "\${BASH_REMATCH[@]}"`,
  ]);
}

const PRODUCERS = [
  "printf '%s\\n' c a b a",
  "cat a.txt",
  "seq 5",
  'echo "$t"',
  "show $s",
  "printf '1 x\\n22 y\\n3 z\\n'",
  "cat a.txt b.txt",
  "seq 10 -3 1",
  "echo a b c",
  "(echo 1; echo 2)",
  "{ echo x; echo y >&2; }",
];
const FILTERS = [
  "sort",
  "sort -r",
  "sort -n",
  "sort -u",
  "tr a-z A-Z",
  "tr -d a",
  "cut -c1-2",
  "cut -d' ' -f2",
  "wc -l",
  "head -n 2",
  "tail -n 1",
  "sed -n 2p",
  "cat",
  "sort -k2",
  "tr -s a",
  "wc -w",
  "head -n -1",
  "tail -n +2",
  "sed s/a/X/",
  "sed -n '$p'",
  "cat -n",
  "cut -f1 -d:",
  "grep -c a",
  "grep -v b",
  "uniq -c",
  "tr ' ' '\\n'",
  "rev",
  "sort -t' ' -k1,1nr",
  "wc -c",
  "paste -sd+",
  "nl",
  "sed '1d;s/./&&/'",
  "grep -n .",
];
const READERS = [
  'while read -r q; do echo "[$q]"; done',
  "{ read q; read r; echo $q-$r; }",
  "(read q; echo $q; cat)",
  'mapfile -t arr; show "${arr[@]}"',
];
/** The leftovers of a last stage under `lastpipe`: one that stops reading early would leave a race behind. */
const KEPT = [
  "read -d '' q r",
  "mapfile -t arr",
  "while read -r q; do n+=1; done",
  "{ mapfile -t arr; return_3; }",
  "(mapfile -t arr)",
  "cat",
];

function pipeline(choices: Choices): string {
  const stages = [choices.pick(PRODUCERS), ...choices.some(2, () => choices.pick(FILTERS))];
  if (stages.length === 1 || choices.chance(4)) stages.push(choices.pick(READERS));
  if (choices.chance(6))
    return `shopt -s lastpipe; ${stages.join(" | ")} | ${choices.pick(KEPT)}; echo $? \${PIPESTATUS[@]} "$q" "$s"; shopt -u lastpipe`;
  return `${choices.chance(8) ? "! " : ""}${stages.join(choices.chance(10) ? " |& " : " | ")}; echo $? \${PIPESTATUS[@]}`;
}

/** Commands with processes of their own: pipelines, subshells, files. */
function costly(choices: Choices, depth: number): string {
  const inner = (): string => statement(choices, depth + 2);
  switch (choices.below(9)) {
    case 0:
    case 1:
      return pipeline(choices);
    case 2:
      return `( ${inner()}; ${inner()} ); echo $?`;
    case 3:
      return `s=$( ${inner()}\n ); echo $? "$s"`;
    case 4:
      return redirected(choices, inner());
    case 5:
      return choices.pick([
        "cat <(echo a) <(echo b)",
        "while read q; do echo $q; done < <(seq 3)",
        "sort <(printf 'b\\na\\n') - <<< c",
        "read q < <(echo x y); echo $q",
        "paste -d, <(seq 2) <(seq 3 4)",
        "mapfile -t arr < <(sort a.txt); show ${arr[@]}",
      ]);
    case 6:
      return document(choices);
    case 7:
      return `( ${choices.pick(["set -e", "set -u", "set -eu", "set -o pipefail", "set -euo pipefail", "trap 'echo bye $?' EXIT", "trap 'echo err $?' ERR", "set -E; trap 'echo err' ERR", "f() { trap 'echo ret' RETURN; }; f", "trap 'echo dbg $?' DEBUG", "set -T; trap 'echo dbg $#' DEBUG", "shopt -s lastpipe", "trap 'echo int' INT; kill -INT $BASHPID", "trap '' TERM; kill -TERM $BASHPID"])}; ${inner()}; ${choices.pick(["false", "false || true", "return_3", "! true", "echo $unset", "(false)", "false | true", "x=$(false)", "[[ a == b ]]", "((0))", "exit 4", "if false; then :; fi", "false && true", "local_fail() { false; echo in; }; local_fail", "! false"])}; echo after; ${inner()} ); echo $?`;
    default:
      return `{ ${inner()}; ${inner()}; } ${choices.pick(["> out", ">> out", "2>/dev/null > out", "> out 2>errors", "2>&1 >out"])}; cat out; echo $?`;
  }
}

function redirected(choices: Choices, inner: string): string {
  return choices.pick([
    `{ ${inner}; } > out; cat out`,
    `{ ${inner}; } | cat`,
    "exec 3> out; echo a >&3; echo b >&3; exec 3>&-; cat out",
    "exec 3< a.txt; read -u 3 q; read r <&3; exec 3<&-; echo $q $r",
    "echo x 3>&1 >&2 2>&3 | cat",
    "exec {fd}> out; echo $s >&$fd; exec {fd}>&-; cat out",
    "exec 4>&1; echo to4 >&4; exec 4>&-; echo x >&4; echo $?",
    "{ echo o; echo e >&2; } 2>&1 >out | cat; cat out",
    "cat < none; echo $?",
    "echo x > dir; echo $?",
    "echo x > nodir/x; echo $?",
    "echo a > out; echo b >> out; cat < out",
    "echo abc > out; exec 3<> out; read -n 1 -u 3 q; exec 3>&-; cat out; echo $q",
    "echo abc > out; exec 3<> out; read -n 1 -u 3 q; echo $s >&3; read r <&3; exec 3>&-; cat out; echo $q $r",
    "exec 3> out 4>> out; echo a >&3; echo b >&4; echo $t >&3; exec 3>&- 4>&-; cat out",
    "exec 3<> out; echo x >&3; > out; echo y >&3; exec 3>&-; wc -c < out",
    "echo a > out; cat out >> out; echo $?; cat out",
    "> out; echo $?; cat out",
    "echo a > out > out2; cat out out2",
    "{ read q; echo $q; } < a.txt; echo $?",
    'while read -r q; do echo "<$q>"; done < a.txt',
    "echo hi >&$n; echo $?",
    "cat 0< a.txt; echo x 1>&-; echo $?",
    "echo &> out both; cat out",
    "f() { echo in; echo err >&2; } 2> out; f; cat out",
    "echo x >| out; cat out",
    "read q < a.txt r; echo $q $r",
    "echo $(< a.txt)",
    "exec 5<<< here; read -u 5 q; echo $q",
  ]);
}

function document(choices: Choices): string {
  const delimiter = choices.pick(["END", "'END'", '"END"', "\\END"]);
  const line = (): string =>
    choices.pick([
      "plain",
      "$s and ${t}",
      "\\$s \\\\ \\q",
      "$((n+1))",
      "`echo b`",
      "\"quoted\" 'q'",
      "\ttab",
      "${s:-x y}",
      "a\\\nb",
      '${unset-"d"}',
      "${s/a/'b'}",
      "$(echo c)",
      "*",
    ]);
  const body = [line(), ...choices.some(3, line)].join("\n");
  const [operator, end] = choices.chance(3) ? ["<<-", "\tEND"] : ["<<", "END"];
  return `${choices.pick(["cat", 'while read q; do echo "[$q]"; done', "read q", "mapfile -t arr"])} ${operator}${delimiter}\n${body}\n${end}\nshow "$q" "\${arr[@]}"`;
}
