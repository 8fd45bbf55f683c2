import { describe, expect, it } from "vitest";
import { possibleCommands } from "./shell-reader.ts";
import { rewritten, variablesOf } from "./shell-rewrite.ts";
import { readText } from "./shell-text.ts";

describe("the values that a line assigns to names", () => {
  const values = (line: string): string =>
    [...variablesOf(readText(line).commands)]
      .map(([name, found]) => `${name}=${found.join("|")}`)
      .join(" ");

  it.each([
    ["ls", ""],
    ["A=1", "A=1"],
    ["A=1 B+=2 c", "A=1 B=2"],
    ["A=1;A=2", "A=1|2"],
    ["export A=1", "A=1"],
    ["x=", "x="],
    ["for a in b c", "a=b|c"],
    ["select a in b", "a=b"],
    ["for a b c", ""],
    ["loop a in b", ""],
    ["for in b", ""],
    ["a-b=c", ""],
    ["a=1\nb", "a=1"],
    [
      "a=0;a=1;a=2;a=3;a=4;a=5;a=6;a=7;a=8;a=9;a=10;a=11;a=12;a=13;a=14;a=15;a=16;a=17;a=18;a=19",
      "a=0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15",
    ],
  ])("in %j: %j", (line, given) => expect(values(line)).toBe(given));
});

describe("the other words that a shell may expand to", () => {
  /** The forms of a line's last command. */
  const forms = (line: string): string[] => {
    const { commands } = readText(line);
    return (rewritten(commands.at(-1) ?? [], variablesOf(commands)) ?? []).map((form) =>
      form.join(" "),
    );
  };

  it("are limited to some thousand", () => {
    const [form = []] = rewritten(["{a,b}".repeat(12)], new Map()) ?? [];
    expect(form).toHaveLength(1001);
    expect(rewritten(["a b", "$c"], new Map())).toEqual([["a b"]]);
  });

  it.each([
    ["ls a", []],
    ["$a b", ["b"]],
    ["a=x;$a b", ["x b"]],
    ["a=x;a=y;$a b", ["x b", "y b"]],
    ["a=1;a=2;a=3;a=4;a=5;$a", ["1", "2", "3", "4", "5"]],
    ["a=1;b=2;b=3;$a$b", ["12", "13"]],
    ["a=1;a=2;b=3;${b}", ["3"]],
    ["ls $IFS b", ["ls b"]],
    ["cu$IFS-x", ["cu -x"]],
    ["rm$IFS$HOME", ["rm ~"]],
    ["ls $HOME/a $PWD", ["ls ~/a ."]],
    ["${a:-b c} d", ["b c d"]],
    ["${a-b}", ["b"]],
    ["${a:+b}", ["b"]],
    ["${#a}", []],
    ["${!a}", []],
    ["${a%b}c", ["c"]],
    ["$1 $@ $# a", ["a"]],
    ["${1}a", ["a"]],
    ["x{a,b}y z", ["xay xby z"]],
    ["{a,b}", ["a b"]],
    ["{a,{b,c}}", ["a b a c"]],
    ["{a}", []],
    ["{,a} b", ["a b"]],
    ["{,} b", ["b"]],
    ["${a}{b,c}", ["b c"]],
    ["a='b c';$a", ["b c"]],
    ["a='b c';\"$a\"d", []],
    ["a=' b ';$a", ["b"]],
    ["a=$b;$a", ["$b"]],
    ["$a", []],
    ["{a,b}{c,d}", ["ac ad bc bd"]],
    ["a=x;${a}", ["x"]],
    ["'a b' $c", ["a b"]],
    ["a b$", []],
    ["{q..s}m x", ["qm rm sm x"]],
    ["{s..q}m", ["sm rm qm"]],
    ["{1..7..3}", ["1 4 7"]],
    ["{-1..1}", ["-1 0 1"]],
    ["{a..c..2}", ["a c"]],
    ["{a..1} $x", ["{a..1}"]],
    ["{a..b..0}", ["a b"]],
    ["{a,b\nc}", []],
  ])("of %j: %j", (line, made) => expect(forms(line)).toEqual(made));
});

describe("all commands that a line may run", () => {
  /** The commands, the redirections, whether all was read, and whether something runs that does not show. */
  const possible = (line: string): string => {
    const { commands, redirects, isComplete, isOpaque } = possibleCommands(line);
    const texts = commands.map((words) => words.join(" ")).join(" | ");
    const targets = redirects.map(({ operator, target }) => operator + target).join(" ");
    return `${texts} ; ${targets} ; ${isComplete} ${isOpaque}`;
  };

  it.each([
    ["echo 'a b' | sh -s x-c", "sh -s x-c | sh x-c | echo a b | a b | a b ;  ; true false"],
    ["echo 'a b' | sh -s -ec c", "sh -s -ec c | sh c | echo a b | c ;  ; true false"],
    [
      "sed -n p packages/runtime/src/events.ts",
      "sed -n p packages/runtime/src/events.ts | sed p packages/runtime/src/events.ts | sed packages/runtime/src/events.ts | vents.ts | vents.ts | vents.ts ;  ; true false",
    ],
    ["sed '/x/Is|a|b|e'", "sed /x/Is|a|b|e ;  ; true true"],
    ["sed '2s|a|b|e'", "sed 2s|a|b|e ;  ; true true"],
    ["eval 'a $x'", "eval a | eval a $x | a | a $x | a ;  ; true true"],
    ["awk -v '|' p", "awk -v | p | awk | p | awk p ;  ; true true"],
    ["sed 'a-b;e'", "sed a-b;e ;  ; true true"],
    ["sed 's|a|b|e'", "sed s|a|b|e ;  ; true true"],
    ["sed 's|ab|cd|gpe'", "sed s|ab|cd|gpe ;  ; true true"],
    [
      "sh -c 'a $x' y",
      "sh -c a y | sh a y | sh y | sh -c a $x y | sh a $x y | sh y | y | a | a $x | y | a ;  ; true true",
    ],
    ["a # 'b\nc", "c | a # b | a # b\nc ;  ; true false"],
    ["a 'b\nc'", "a b\nc ;  ; true false"],
    ["a <<E\n'b\nc\nE", "E | c | b | a | b\nc\nE | a ; <<E <<E ; true false"],
    ["a <<<'b c'", "a | b c ; <<<b c ; true false"],
    ["a < 'b c'", "a ; <b c ; true false"],
    ["! a b", "! a b | a b ;  ; true false"],
    ["if a", "if a | a ;  ; true false"],
    ["function f a", "function f a | a | f a ;  ; true false"],
    ["coproc f a", "coproc f a | f a | a | f a ;  ; true false"],
    ["function a", "function a | a ;  ; true false"],
    ["echo 'a b' | sh", "sh | echo a b | a b | a b ;  ; true true"],
    ["echo 'a b' | sh x", "sh x | echo a b ;  ; true false"],
    ["echo 'a b' | sh /dev/stdin", "sh /dev/stdin | echo a b | a b | a b ;  ; true true"],
    ["echo 'a b' | sh -s x", "sh -s x | sh x | echo a b | a b | a b ;  ; true false"],
    ["echo 'a b' | sh -s -c x", "sh -s -c x | sh x | echo a b | x ;  ; true false"],
    ["echo a | bash -ls y", "bash -ls y | bash y | echo a | a | a ;  ; true false"],
    ["echo a | sh x-s", "sh x-s | echo a ;  ; true false"],
    ["echo a | xsh", "xsh | echo a ;  ; true false"],
    ["echo a | shx", "shx | echo a ;  ; true false"],
    ["printf 'a\\nb c' | dash", "dash | printf a\\nb c | b c | a | b c | a ;  ; true true"],
    ["cat a | zsh", "zsh | cat a | a | a ;  ; true true"],
    ["print a | ksh", "ksh | print a | a | a ;  ; true true"],
    ["xecho 'a b' | sh", "sh | xecho a b ;  ; true true"],
    ["echox 'a b' | sh", "sh | echox a b ;  ; true true"],
    [
      "/bin/echo 'a b' | /bin/sh",
      "/bin/sh | sh | /bin/echo a b | echo a b | a b | a b | a b | a b ;  ; true true",
    ],
    ["a | ash", "ash | a ;  ; true true"],
    ["echo 'a b' | sh -x", "sh -x | echo a b | a b | a b ;  ; true true"],
    ["echo a|fish", "fish | echo a | a | a ;  ; true true"],
    ["echo 'a b' | sh -ec c", "sh -ec c | sh c | echo a b | c ;  ; true false"],
    ["$x", "$x ;  ; true true"],
    ["x=a;$x b", "a b | $x b | b | x=a ;  ; true false"],
    ["a=c;b=d;$a$b", "cd | $a$b | b=d | a=c ;  ; true true"],
    ["a=c;$a$b", "c | $a$b | a=c ;  ; true true"],
    ["a=1;a=2;b=3;$a$b", "23 | 13 | $a$b | b=3 | a=2 | a=1 ;  ; true true"],
    ["a=1;a=2;$a", "2 | 1 | $a | a=2 | a=1 ;  ; true false"],
    ["$IFS a", "a | $IFS a | a ;  ; true true"],
    ["a${IFS}b", "a b | a${IFS}b ;  ; true true"],
    ["sed 1e a", "sed 1e a ;  ; true true"],
    ["sed s/a/b/e", "sed s/a/b/e ;  ; true true"],
    ["sed -e s/a/b/", "sed -e s/a/b/ | sed s/a/b/ ;  ; true false"],
    ["sed s/a/e/", "sed s/a/e/ | / |  ;  ; true false"],
    ["sed 's|a|b|pe'", "sed s|a|b|pe ;  ; true true"],
    ["sed 's/a\\/b/c/e'", "sed s/a\\/b/c/e ;  ; true true"],
    ["sed '1e;p'", "sed 1e;p | p ;  ; true true"],
    ["gsed e", "gsed e ;  ; true true"],
    ["sed '/x/{e}'", "sed /x/{e} | } ;  ; true true"],
    ["sed -ne p", "sed -ne p | sed p ;  ; true false"],
    ["sed p src/a-e", "sed p src/a-e ;  ; true false"],
    ["seds e", "seds e ;  ; true false"],
    ["xsed e", "xsed e ;  ; true false"],
    ["sed 'se/a'", "sed se/a ;  ; true false"],
    ["sed 's/a/b/;s/c/d/e'", "sed s/a/b/;s/c/d/e ;  ; true true"],
    ["echo 'a b'|csh x y-s", "csh x y-s | echo a b ;  ; true false"],
    ["sh", "sh ;  ; true true"],
    ["sh -x", "sh -x ;  ; true true"],
    ["sh x", "sh x ;  ; true false"],
    ["sh -c '$x'", "sh -c | sh -c $x | sh $x | $x ;  ; true true"],
    ["sh -c x", "sh -c x | sh x | x ;  ; true false"],
    ["eval $x", "eval | eval $x | $x ;  ; true true"],
    ["eval x", "eval x | x ;  ; true false"],
    [". x", ". x ;  ; true true"],
    ["source x", "source x ;  ; true true"],
    ["xsource x", "xsource x ;  ; true false"],
    ["python", "python ;  ; true true"],
    ["python x", "python x ;  ; true false"],
    ["python -", "python - ;  ; true true"],
    ["python -c x", "python -c x | python x ;  ; true true"],
    ["python3.1 -uc x", "python3.1 -uc x | python3.1 x ;  ; true true"],
    ["node --eval x", "node --eval x | node x ;  ; true true"],
    ["node --print x", "node --print x | node x ;  ; true true"],
    ["node --printx x", "node --printx x | node x ;  ; true false"],
    ["node x-e", "node x-e ;  ; true false"],
    ["pythonx", "pythonx ;  ; true false"],
    ["xpython", "xpython ;  ; true false"],
    ["awk p", "awk p ;  ; true false"],
    ["awk 'system(x)'", "awk system(x) ;  ; true true"],
    ["gawk 'a|b'", "gawk a|b ;  ; true true"],
    ["original-awk '@x'", "original-awk @x ;  ; true true"],
    ["xawk @", "xawk @ ;  ; true false"],
    ["awkx @", "awkx @ ;  ; true false"],
    ["`a` b", "`a` b | b | a ;  ; true true"],
    ["$(a) b", "$(a) b | b | a ;  ; true true"],
    ["a `b`", "a `b` | b ;  ; true false"],
    ["echo ${!x}", "echo | echo ${!x} ;  ; true true"],
    ["echo ${x@P}", "echo | echo ${x@P} ;  ; true true"],
    ["echo x@P", "echo x@P ;  ; true false"],
  ])("in %j: %j", (line, found) => expect(possible(line)).toBe(found));

  it("is undecidable for a long editing script", () => {
    const isOpaque = (length: number): boolean =>
      possibleCommands(`sed '${"p".repeat(length)}'`).isOpaque;
    expect(isOpaque(2000)).toBe(false);
    expect(isOpaque(2001)).toBe(true);
  });

  it("is undecidable for a line with too many combinations", () => {
    expect(possibleCommands("$(a ".repeat(800)).isComplete).toBe(false);
    expect(possibleCommands("env ".repeat(1100)).isComplete).toBe(false);
    expect(possibleCommands("ls ".repeat(10_000)).isComplete).toBe(true);
  });
});
