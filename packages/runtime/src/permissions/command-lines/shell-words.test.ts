import { describe, expect, it } from "vitest";
import { plainCommands } from "./shell-words.ts";

/** The commands with their redirections, in a form that is short to compare. */
const read = (line: string): string[][] | undefined =>
  plainCommands(line)?.map(({ words, redirects }) => [
    ...words,
    ...redirects.map(({ operator, target }) => `${operator} ${target}`),
  ]);

describe("a fully understood line", () => {
  it.each([
    ["git  log\t--oneline", [["git", "log", "--oneline"]]],
    ["a && b || c; d | e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
    ["a;", [["a"]]],
    ["\na\n", [["a"]]],
    ["a;\nb &&\n\nc", [["a"], ["b"], ["c"]]],
    ["a '' b", [["a", "", "b"]]],
    ["git commit -m 'it is \"so\" $x'", [["git", "commit", "-m", 'it is "so" $x']]],
    ["echo a\"b c\"'d e'f", [["echo", "ab cd ef"]]],
    ["echo a\\ b\\;\\(", [["echo", "a b;("]]],
    ["cat $HOME/a ${HOME}/b $PWD/c ${PWD}/d", [["cat", "~/a", "~/b", "./c", "./d"]]],
    ['cat "$HOME/a b" "$HOME" "${PWD}/c" "$PWD"', [["cat", "~/a b", "~", "./c", "."]]],
    ["echo '$HOME/a'", [["echo", "$HOME/a"]]],
    ["a > b", [["a", "> b"]]],
    ["a>b", [["a", "> b"]]],
    ["a >>b <c", [["a", ">> b", "< c"]]],
    ["a 2>b 1>> c 0<d", [["a", "> b", ">> c", "< d"]]],
    ["a &>b &>> c", [["a", "&> b", "&>> c"]]],
    ["a b2>c", [["a", "b2", "> c"]]],
    ["a > 'b c'", [["a", "> b c"]]],
    ["> a b", [["b", "> a"]]],
    ["a 2>&1", [["a"]]],
    ["a >&2 | b 2>&-", [["a"], ["b"]]],
    ["a 2>&1; b", [["a"], ["b"]]],
    ["a 2 b", [["a", "2", "b"]]],
    ["time a", [["time", "a"]]],
    ["ls src/*.ts", [["ls", "src/*.ts"]]],
    ["ls a? b[c]", [["ls", "a?", "b[c]"]]],
    ["ls --ignore=*.o", [["ls", "--ignore=*.o"]]],
  ])("%j", (line, commands) => expect(read(line)).toEqual(commands));

  it("may have up to the maximum length", () => {
    expect(plainCommands(`echo ${"x".repeat(9_995)}`)).toHaveLength(1);
    expect(plainCommands(`echo ${"x".repeat(9_996)}`)).toBeUndefined();
  });

  it("reports commands with a pattern in their name", () => {
    const globs = (line: string): unknown => plainCommands(line)?.map(({ hasGlob }) => hasGlob);
    expect(globs("ls a* b && cat c")).toEqual([true, false]);
    expect(globs("ls 'a*' && cat a\\*")).toEqual([false, false]);
  });
});

describe("a line that is not understood", () => {
  it.each([
    ["no command", ""],
    ["only a separator", ";"],
    ["an operator before any command", "&& a"],
    ["two separators", "a ;; b"],
    ["an operator after a separator", "a; && b"],
    ["a separator on a line of its own", "a\n; b"],
    ["two pipes", "a | | b"],
    ["nothing after an operator", "a &&"],
    ["nothing after a pipe", "a | "],
    ["a redirection without a command", "> a"],
    ["a redirection without a command before another", "> a; b"],
    ["a redirection to nowhere", "a >"],
    ["a redirection to nowhere before a separator", "a > ; b"],
    ["two redirections to one file", "a > < b"],
    ["a redirection to nothing", "a > ''"],
    ["a redirection to a pattern", "a > b*"],
    ["a redirection to another home", "a > ~b"],
    ["a redirection to an option", "a > -b"],
    ["a redirection to a copied stream", "a >& b"],
    ["a stream's copy that goes on", "a >&2b"],
    ["a word before a stream's copy", "a b>&1"],
    ["a redirection that overwrites", "a >| b"],
    ["a redirection for both", "a <> b"],
    ["a here-document", "a << b"],
    ["a process", "a <(b)"],
    ["a command from a pattern", "/bin/c?t a"],
    ["a pattern that may become an option", "ls *"],
    ["a pattern behind a dash", "ls -*"],
    ["a quote that does not end", "a 'b"],
    ["a variable", "a $b"],
    ["a variable that begins like the home", "a $HOMEWORK/b"],
    ["the home in the middle of a word", "a b$HOME/c"],
    ["the home in the middle of quotes", 'a "b$HOME/c"'],
    ["a variable behind the home", 'a "$HOME/$b"'],
    ["the home that goes on without a slash", 'a "$HOMEb"'],
    ["history", 'a "b!c"'],
    ["an escape within quotes", 'a "b\\"c"'],
    ["a substitution", "a `b`"],
    ["a line that goes on", "a \\\nb"],
    ["a backslash at its end", "a \\"],
    ["an escaped letter", "a \\b"],
    ["in the background", "a & b"],
    ["and then in the background", "a ;& b"],
    ["a comment", "a # b"],
    ["braces", "a {b,c}"],
    ["a subshell", "(a)"],
    ["a condition", "if a"],
    ["a condition further on", "a; then b"],
    ["a function", "function a"],
    ["a bell", "a \u0007"],
    ["a delete", "a \u007f"],
  ])("%s", (_, line) => expect(plainCommands(line)).toBeUndefined());
});
