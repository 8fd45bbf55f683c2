import { assertEqual, type CaseTable } from "../contract.ts";
import { run, type ShellFixture } from "./fixture.ts";

/** Scripts and their output in bash. */
const scripts: Record<string, readonly [script: string, stdout: string]> = {
  "connects commands by pipes": [
    "printf 'b\\na\\nb\\n' | sort | uniq -c | tr -s ' '",
    " 1 a\n 2 b\n",
  ],
  "runs lists by success and failure": [
    "true && echo a || echo b; false && echo c || echo d",
    "a\nd\n",
  ],
  "keeps quoted words together": [
    `x='a  b'; printf '<%s>' $x "$x" '$x' "\\$x" a\\ b; echo`,
    "<a><b><a  b><$x><$x><a b>\n",
  ],
  "expands variables with defaults, lengths and patterns": [
    "p=/a/b.tar.gz; echo ${p##*/} ${p%%.*} ${#p} ${q:-none} ${p/b/X}",
    "b.tar.gz /a/b 11 none /a/X.tar.gz\n",
  ],
  "substitutes commands": ["echo \"$(printf 'a\\n\\n')b `echo c`\"", "ab c\n"],
  counts: ["i=5; echo $((i * 2 + 1)) $((7 / 2)) $((i > 3)); ((i+=2)); echo $i", "11 3 1\n7\n"],
  "compares numbers without spaces around the operator": [
    "((3>=2)) && ((2<=2)) && ((1!=2)) && ! ((3<=2)) && echo ok",
    "ok\n",
  ],
  loops: [
    "for i in a b; do echo $i; done; for ((i=0;i<2;i++)); do echo $i; done; until ((i>=4)); do ((i+=1)); done; echo $i",
    "a\nb\n0\n1\n4\n",
  ],
  "reads lines in a loop": [
    "printf 'a b\\nc\\n' | while read -r x y; do echo \"$x/$y\"; done",
    "a/b\nc/\n",
  ],
  "chooses by patterns": ["case abc in x*) echo x;; a*c) echo yes;; *) echo other;; esac", "yes\n"],
  "tests with brackets": ['[ 1 -lt 2 ] && [[ abc =~ ^a.c$ && "a b" == "a "* ]] && echo ok', "ok\n"],
  "defines functions with local variables": [
    "f() { local x=$1; echo in $x; return 3; }; x=out; f a; echo $? $x",
    "in a\n3 out\n",
  ],
  "keeps a subshell's changes to itself": ["x=1; (x=2; cd /; echo $x); echo $x", "2\n1\n"],
  "has arrays": ['a=(x "y z"); a+=(w); echo ${#a[@]} "${a[1]}" "${a[@]: -1}"', "3 y z w\n"],
  "reads here-documents": ["x=1; cat <<A; cat <<'B'\n$x $((x+1))\nA\n$x\nB", "1 2\n$x\n"],
  "reads a here-string": ["read -r a b <<< 'one two three'; echo $b", "two three\n"],
  "expands globs and braces": [
    "touch b.txt a.txt c.md; echo *.txt {1..3} x{a,b}",
    "a.txt b.txt 1 2 3 xa xb\n",
  ],
  "substitutes processes": ["cat <(echo a) <(echo b)", "a\nb\n"],
  "keeps every line's own indentation": [
    "if true; then\n    cat <<E\n      deep\nE\nfi",
    "      deep\n",
  ],
  "evaluates text": ["cmd='echo a; echo b'; eval \"$cmd\"", "a\nb\n"],
  "traces nothing of its own": ["set -x; for i in 1 2; do :; done; echo ok", "ok\n"],
};

export const languageCases: CaseTable<ShellFixture> = Object.fromEntries(
  Object.entries(scripts).map(([name, [script, expected]]) => [
    name,
    async (fixture: ShellFixture): Promise<void> => {
      const { exitCode, stdout, stderr } = await run(fixture, script);
      assertEqual([stdout, exitCode], [expected, 0], stderr || script);
    },
  ]),
);
