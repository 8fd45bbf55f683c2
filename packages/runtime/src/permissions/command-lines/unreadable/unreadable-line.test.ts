import { describe, expect, it } from "vitest";
import { evaluatePermission, explainPermission } from "../../evaluate-permission.ts";
import type { PermissionLists } from "../../permission.ts";

const WORKSPACE = { cwd: "/code", roots: ["/code"], home: "/home/user" };

/** Decides as a session and as a pure function: neither lets through a command that the other would not. */
const decide = (command: string, lists: PermissionLists): string => {
  const modes = ["default", "bypassPermissions"] as const;
  const found = modes.flatMap((mode) =>
    [WORKSPACE, {}].map((context) =>
      evaluatePermission("Bash", { command }, mode, { allow: ["Bash(*)"], ...lists }, context),
    ),
  );
  const decisions = [...new Set(found)];
  return decisions.join(" and ");
};
const denying = (command: string): string => decide(command, { deny: ["Bash(rm *)"] });

describe("an unreadable line under a rule that denies", () => {
  it.each([
    "eval 'X=1 rm y'",
    "watch 'X=1 rm y'",
    "ssh h 'X=1 rm y'",
    "parallel 'X=1 rm {}' ::: a",
    "{r..r}m x",
    "/bin/[[:alpha:]]m x",
    "/bin/r[]m] x",
    "$'rm\\0z' x",
    "$'\\x{72}m' x",
    "$'rm\\c@z' x",
    "setpriv rm x",
    "setarch -R rm x",
    "start-stop-daemon -S -x /bin/rm -- x",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
    "split --filter='rm x' a",
  ])("is refused: %j", (command) => expect(denying(command)).toBe("deny"));

  it.each([
    ["all arguments", 'set -- rm x; "$@"'],
    ["all arguments, unquoted", "set -- rm x; $*"],
    ["all arguments of a function", 'f() { "$@"; }; f rm x'],
    ["a numbered argument", "set -- rm x; $1 x"],
    ["a prefix that is cut", "x=xrm; ${x#x} y"],
    ["a part of a value", "x=xrm; ${x:1:2} y"],
    ["small letters", "x=RM; ${x,,} y"],
    ["a replacement", "x=am; ${x/a/r} y"],
    ["what is added to a value", "x=r; x+=m; $x y"],
    ["a value from another name", "y=rm; x=$y; $x z"],
    ["an array", "x=(a rm); ${x[1]} y"],
    ["an element that is set", "x[1]=rm; ${x[1]} y"],
    ["a reference to a name", "declare -n r=c; c=rm; $r x"],
    ["other separators of words", "IFS=,; c=rm,x; $c"],
    ["a default that is assigned", "x=; : ${x:=rm}; $x y"],
    ["a name that is read", "x=ls; read x <<< rm; $x y"],
    ["a name that is read, in disguise", "x=ls; re''ad x <<< rm; $x y"],
    ["a name that is printed to", "x=ls; printf -v x rm; $x y"],
    ["a name that is set in a loop", "x=ls; for x in rm; do :; done; $x y"],
    ["a name that was never set", "echo x=ls; $x rm y"],
    ["a pattern", "/bin/r? x"],
    ["a pattern with an extension", "shopt -s extglob\n/bin/@(r)m x"],
    ["a substitution", "$(echo rm) x"],
    ["a part that is a substitution", "r$(echo m) x"],
    ["a part that is empty", "r${x}m y"],
    ["a part of an option's value", "opt --run='r$(echo m) x'"],
    ["a part of a value", "opt run=r$(echo m) x"],
    ["a part behind an option's letter", "opt -c'r$(echo m) x'"],
    ["a subscript in a condition", "[[ 'a[$(rm x)]' -eq 0 ]]"],
    ["a subscript that is calculated", "let 'a[$(rm x)]'"],
    ["a subscript that is printed to", "printf -v 'a[$(rm x)]' 1"],
    ["a subscript that is tested", "test -v 'a[$(rm x)]'"],
    ["a subscript that is read", "read 'a[$(rm x)]' <<< 1"],
    ["a subscript that is declared", "declare 'a[$(rm x)]=1'"],
    ["a subscript in disguise", "x='a[$(r\"\"m x)]'; : $((x))"],
    ["a command under another name", "hash -p /bin/rm ls; ls x"],
    ["an alias by its table", "BASH_ALIASES[q]=rm; q x"],
    ["what is called for each line", "mapfile -C rm -c 1 < a"],
    ["what completes", 'compgen -C "rm x"'],
    ["words that complete", "compgen -W '$(rm x)'"],
    ["what completes later", "complete -C rm x"],
    ["options within env -S", "env -S '-u X rm x'"],
    ["a space within env -S", "env -S 'rm\\_x'"],
    ["a launcher behind xargs", "echo rm x | xargs env"],
    ["a shell behind xargs", "echo rm x | xargs -I{} sh -c '{}'"],
    ["a wrapper behind xargs that lacks a command", "base64 -d c | xargs nice -n 5"],
    ["a shell's words behind xargs", "base64 -d c | xargs -I% % x"],
    ["parallel, which reads commands", "base64 -d c | parallel -j4"],
    ["a start-up file", "BASH_ENV=<(echo rm x) bash -c :"],
    ["a script that is written", "echo 'rm x' > s; sh s"],
    ["a script that can't be read", "base64 -d c > s; sh s"],
    ["a program that is written", "base64 -d c > s; chmod +x s; ./s"],
    ["a program that is copied", "cp c bin/ls; PATH=bin ls x"],
    ["what a shell is told by", "base64 -d c | sh"],
    ["ssh-agent", "ssh-agent frob rm x"],
    ["fakeroot", "fakeroot frob rm x"],
    ["eatmydata", "eatmydata frob rm x"],
    ["cpulimit", "cpulimit -l 5 frob rm x"],
    ["chpst", "chpst -u me frob rm x"],
    ["cross-env", "cross-env A=1 frob rm x"],
    ["dbus-run-session", "dbus-run-session -- frob rm x"],
    ["a program for stripping", "install --strip-program=rm -s a b"],
    ["a statement of sqlite3", "sqlite3 :memory: '.shell rm x'"],
    ["an editor's input", "ed <<< '!rm x'"],
    ["rules of make", "make --eval 'a:;rm x'"],
    ["rules of make, abbreviated", "make -E 'a:;rm x'"],
    ["rules of make from a stream", "make -f <(echo 'a:;rm x')"],
    ["an abbreviated option of tar", "tar --checkpoint-act exec=rm -cf a b"],
    ["an alias of git", "git config alias.q '!rm x' && git q"],
    ["settings of git in a variable", "GIT_CONFIG_PARAMETERS=\"'alias.q=!rm x'\" git q"],
    ["awk by a stream", "awk -f <(echo 'BEGIN{system(\"rm x\")}')"],
    ["sed by a stream", "sed -f <(echo '1e rm x') a"],
    ["tclsh by a stream", "tclsh <(echo exec rm x)"],
    ["an option of ssh", "ssh -o 'ProxyCommand rm x' h"],
    ["capitals, where systems don't tell them apart", "RM x"],
    ["a launcher that nobody knows", "frob rm x"],
    ["a text for it, in disguise", "frob \"r''m x\""],
    ["a text within its text", "frob 'bash -c \"r\\m x\"'"],
    ["a path with a pattern for it", "frob /bin/r?"],
    ["a word that is partly put together", "frob r$(base64 -d a) x"],
    ["a word with a cut value in it", "x=yr; frob ${x#y}m y"],
    ["a value filled in for it", "x=r; frob ${x}m y"],
    ["an option's letter", "frob -Irm x"],
    ["a reader whose output goes elsewhere", "exec > s; echo rm x; frob s"],
    ["a reader that is another command", "alias echo=frob\necho rm x"],
    ["a reader in the background", "echo rm x & wait"],
    ["code in an option", 'perl \'-esystem("r"."m x")\''],
  ])("needs approval for %s: %j", (_, command) =>
    expect(denying(command)).toMatch(/^(?:approve|deny)$/),
  );

  it.each([
    "ls",
    "ls src/*.ts",
    "git status",
    'git commit -m "no more rm x"',
    "grep -rn rm src | head -20",
    "echo rm x > /dev/null",
    'echo "rm $x"',
    "cat a | xargs grep -l rm",
    "find . -name rm",
    "rg rm src",
    "docker run --rm alpine ls",
    "find . -perm 644 | head",
    "npm test -- src/rm/x.test.ts",
    "npm test -- --rm-all x.rm form arm rmdir",
    'for f in src/*.ts; do wc -l "$f"; done',
    'while IFS= read -r l; do echo "$l"; done < a',
    "x=ls; $x a",
    "x=ls; ${x} a",
    "echo $((x * 2))",
    "[ -f a ] && [[ -n $x ]]",
    "printf '%s [%s]' a \"$x\"",
    'x=a FILE="$x" npm test',
    "sed -n 's/e[a-z]*//p' a",
    "chmod +x run.sh && ./run.sh",
    "npm test > log.txt && cat log.txt",
    "mkdir -p dist && node build.js",
    "tar xf a.tar && node app/index.js",
    "xargs -n1 echo < a",
    "ls | xargs -I{} cp {} backup/",
    "command -v node",
    'npm run build -- --out="$OUT"',
    "git log --oneline | head",
  ])("does not affect %j", (command) => expect(denying(command)).toBe("auto"));

  it("needs approval for a hidden name under any form of rule", () => {
    for (const rule of ["Bash(rm:*)", "Bash(rm*)", "Bash(rm)", "B*(rm *)", "Bash(rm -rf *)"]) {
      expect([rule, decide("frob rm -rf x", { deny: [rule] })]).toEqual([rule, "approve"]);
      expect([rule, decide("frob rm -rf x", { ask: [rule] })]).toEqual([rule, "approve"]);
      expect([rule, decide("x=${y#z}; ${y#z} x", { deny: [rule] })]).toEqual([rule, "approve"]);
    }
    for (const rule of ["Read(/a)", "Write", "Bash(* --force)"])
      expect([rule, decide("frob rm x", { deny: [rule] })]).toEqual([rule, "auto"]);
  });
});

describe("a rule of several words", () => {
  const pushing = (command: string): string => decide(command, { deny: ["Bash(git push *)"] });

  it.each([
    "git $x",
    "git ${x}sh origin",
    "git `echo push`",
    "git {pu,pu}sh$x",
    "x=pu; git ${x}sh$y",
    "frob git push",
    "frob 'git push'",
    "frob git $x",
    "frob 'git $x'",
    "git config alias.q push && git q",
    "git -c alias.q=push q",
    "GIT push",
    "echo git push | xargs frob",
  ])("needs approval for %j", (command) => expect(pushing(command)).toMatch(/^(?:approve|deny)$/));

  it.each([
    "git status",
    "timeout 5 git status",
    "git commit -m 'push it'",
    'git commit -m "$x"',
    'echo "$(git status)"',
    "frob git status",
    "npm run push",
    "git log --grep push",
    "git stash drop stash@{1}",
  ])("does not affect %j", (command) => expect(pushing(command)).toBe("auto"));

  it("may contain options", () => {
    const forcing = (command: string): string => decide(command, { deny: ["Bash(rm -rf *)"] });
    for (const command of ["rm $x", "frob rm -r -f x", "frob 'rm -fr x'", "frob rm $x"])
      expect([command, forcing(command)]).toEqual([command, "approve"]);
    for (const command of ["rm x", "frob rm x", "sudo rm -r x"])
      expect([command, forcing(command)]).toEqual([command, "auto"]);
  });
});

describe("the explanation", () => {
  const explain = (command: string, lists: PermissionLists) =>
    explainPermission("Bash", { command }, "bypassPermissions", lists, WORKSPACE);

  it("names the rule, its layer and the part of the line", () => {
    const lists = { layers: [{ name: "user", lists: { deny: ["Bash(rm *)"] } }] };
    expect(explain("ls && frob rm x", lists)).toEqual({
      decision: "approve",
      step: "protected",
      rule: "Bash(rm *)",
      layer: "user",
      command: "frob rm x",
      reason: "Its text does not show whether Bash(rm *) applies.",
    });
    expect(explain("$x y", lists)).toMatchObject({ step: "protected", decision: "approve" });
    expect(explain("$x y", lists)).not.toHaveProperty("rule");
  });

  it("of a denying mode stays the same, also without a workspace", () => {
    const plan = (lists: PermissionLists, context = {}) =>
      explainPermission("Bash", { command: "frob rm x" }, "plan", lists, context);
    const deny = ["Bash(rm *)"];
    expect(plan({ deny })).toMatchObject({ decision: "deny", step: "mode" });
    expect(plan({ deny }, WORKSPACE)).toMatchObject({ decision: "deny", step: "mode" });
    expect(plan({ deny, allow: ["Bash"] })).toMatchObject({ decision: "approve" });
  });
});

it("a line is read in linear time", () => {
  const lists = { deny: ["Bash(rm *)", "Bash(git push *)", "Bash(curl:*)"] };
  for (const part of ["frob a-b ", "'a \"b\" c' ", "$(a ", "{a,b}", "x=$x;", "a|", "\\", '"`'])
    expect(decide(part.repeat(8000), lists)).toMatch(/^(?:approve|auto|deny)/);
});
