import { describe, expect, it } from "vitest";
import type { ToolArgs } from "../../messages/message.ts";
import { evaluatePermission } from "../evaluate-permission.ts";

const WORKSPACE = { cwd: "/code", roots: ["/code"], home: "/home/user" };

/** The decision in the mode that asks nothing, under one forbidding rule. */
const forbidding = (rule: string, tool: string, args: ToolArgs, context: object = {}): string =>
  evaluatePermission(
    tool,
    args,
    "bypassPermissions",
    { deny: [rule] },
    { cwd: "/code", ...context },
  );

/** The decision in the mode that asks, under allowing rules. */
const allowing = (allow: string[], tool: string, args: ToolArgs, context: object = {}): string =>
  evaluatePermission(tool, args, "default", { allow }, { cwd: "/code", ...context });

describe("a rule that denies a tool's argument", () => {
  it.each([
    ["Bash", "Bash", { command: "ls" }, "deny"],
    [" Bash(rm", "Bash", { command: "ls" }, "deny"],
    ["Foo(rm", "Bash", { command: "ls" }, "auto"],
    ["(rm", "Bash", { command: "ls" }, "deny"],
    ["Bash(rm *)", "Bash", {}, "auto"],
    ["Bash( ls; x *)", "Bash", { command: " ls; x y " }, "deny"],
    ["Bash(ls; x *)", "Bash", { command: "ls; y x" }, "auto"],
    ["Bash(curl *)", "Bash", { command: `${"env ".repeat(1100)}ls` }, "deny"],
    ["Write(/kept/**)", "Bash", { command: `${"env ".repeat(1100)}ls` }, "deny"],
    ["WebSearch(rm *)", "WebSearch", { query: "rm x" }, "deny"],
    ["WebSearch(rm *)", "WebSearch", { query: "ls; rm x" }, "auto"],
    ["WebSearch( a b )", "WebSearch", { query: "a b" }, "auto"],
    ["WebSearch( a b )", "WebSearch", { query: " a b " }, "deny"],
    ["WebSearch(domain:a.test)", "WebSearch", { query: "http://a.test" }, "auto"],
    ["WebSearch(domain:a*)", "WebSearch", { query: "domain:ab" }, "deny"],
    ["WebFetch(https://a.test/*)", "WebFetch", { url: "https://a.test/x" }, "deny"],
    ["WebFetch(https://a.test/*)", "WebFetch", { url: "https://b.test/x" }, "auto"],
    ["WebFetch(domain:a.test)", "WebFetch", {}, "auto"],
    ["Read(/x)", "Read", {}, "auto"],
    ["Read(/x)", "Read", { filePath: "x" }, "deny"],
    ["Read( /x )", "Read", { filePath: "x" }, "deny"],
    ["Read(/x)", "Write", { filePath: "x" }, "auto"],
    ["Read(~)", "Read", { filePath: "/home/user" }, "deny"],
    ["Read(~/x)", "Read", { filePath: "/home/user/x" }, "deny"],
    ["Read(/etc/x)", "Read", { filePath: "/etc/x" }, "deny"],
    ["Read(/K*/x)", "Read", { filePath: "keys/x" }, "deny"],
    ["Read(/K*/x)", "Read", { filePath: "eys/x" }, "auto"],
    ["Read(/kept)", "Read", { filePath: "kept/a/b" }, "deny"],
    ["Read(/kept/)", "Read", { filePath: "kept/a" }, "deny"],
    ["Read(kept)", "Read", { filePath: "KEPT/a" }, "deny"],
    ["Read(/kept)", "Read", { filePath: "keptx/a" }, "auto"],
    ["Read(/kept)", "Bash", { command: "cat kept/a" }, "deny"],
    ["Read(/k*)", "Read", { filePath: "kept/a" }, "auto"],
    ["Read(/caf\u00e9*/**)", "Read", { filePath: "cafe\u0301s/a" }, "deny"],
    ["Read(/stra\u00dfe*/**)", "Read", { filePath: "STRASSE 1/a" }, "deny"],
    ["Read(/a*z\u200b/x)", "Read", { filePath: "abz/x" }, "deny"],
  ] as const)("%s, %s %j: %s", (rule, tool, args, decision) => {
    expect(forbidding(rule, tool, args, WORKSPACE)).toBe(decision);
  });

  it("applies to every path that a link resolves to, and when that is unknown", () => {
    const leads = { realPaths: (path: string) => [path, "/kept/a"] };
    const unknown = { realPaths: () => undefined };
    for (const [tool, args] of [
      ["Read", { filePath: "/code/b" }],
      ["Grep", { pattern: "x", path: "/code/b" }],
    ] as const) {
      expect(forbidding("Read(//kept/a)", tool, args, leads)).toBe("deny");
      expect(forbidding("Read(//kept/b)", tool, args, leads)).toBe("auto");
      expect(forbidding("Read(//kept/a)", tool, args, unknown)).toBe("deny");
    }
    const line = { command: "cat k* b" };
    expect(forbidding("Read(//kept/a)", "Bash", line, leads)).toBe("deny");
    expect(forbidding("Read(//kept/b)", "Bash", line, leads)).toBe("auto");
    expect(forbidding("Read(//kept/a)", "Bash", line, unknown)).toBe("auto");
  });
});

describe("a rule that denies reading, and a search", () => {
  it.each([
    ["Read(/src)", "src/*", "deny"],
    ["Read(/src)", "src", "deny"],
    ["Read(/src)", "src/a/*", "deny"],
    ["Read(/src/)", "src/a/*", "deny"],
    ["Read(/src)", "srcs/a/*", "auto"],
    ["Read(/src/**)", "src/a/*.ts", "deny"],
    ["Read(/src)", "/code/src/*", "deny"],
    ["Read(//etc)", "/etc/*", "deny"],
    ["Read(//etc)", "etc/*", "auto"],
    ["Read(//)", "/*", "deny"],
    ["Read(//)", "*", "deny"],
    ["Glob(src/**)", "/code/src/a", "deny"],
    ["Glob(src/**)", "src", "deny"],
    ["Glob(src/**)", "./lib/../src/*", "deny"],
    ["Glob(/src)", "src/a/*.ts", "deny"],
    ["Glob(src/**)", "lib/*", "auto"],
    ["Glob(src/**)", "srcs/*", "auto"],
    ["Grep(src/**)", "src/a", "auto"],
    ["Read(/x)", "*/../x", "deny"],
    ["Read(/x)", "{..,a}/y", "deny"],
    ["Read(/x)", "b{a,..}/y", "deny"],
    ["Read(/x)", "src/../*", "auto"],
    ["Read(/x)", "src/..", "auto"],
    ["Read(/x)", "*a..", "auto"],
    ["Read(/x)", "*..a", "auto"],
    ["Read(/x)", "{ab/c,d}", "deny"],
    ["Read(/x)", "{a,b}/c", "auto"],
    ["Read(/x)", "{ab..c}", "deny"],
    ["Read", "*", "auto"],
    ["Write(/**)", "*", "auto"],
  ])("%s, Glob %s: %s", (rule, pattern, decision) => {
    expect(forbidding(rule, "Glob", { pattern })).toBe(decision);
  });

  it("applies to the search's root", () => {
    const rule = "Read(/src)";
    expect(forbidding(rule, "Glob", { pattern: "*", path: "src" })).toBe("deny");
    expect(forbidding(rule, "Glob", { pattern: "src/*", path: "/elsewhere" })).toBe("auto");
    expect(forbidding(rule, "Glob", { pattern: 5, path: "src" })).toBe("deny");
    expect(forbidding(rule, "Glob", { path: "lib" })).toBe("auto");
    expect(forbidding("Glob(src/**)", "Glob", { pattern: "**", path: "src" })).toBe("deny");
    expect(forbidding("Grep(src/**)", "Grep", { pattern: "x", path: "/code/src/a" })).toBe("deny");
    expect(forbidding("Grep(src/**)", "Grep", { pattern: "x", path: "lib" })).toBe("auto");
    expect(forbidding(rule, "Grep", { pattern: "src/*" })).toBe("auto");
    expect(forbidding(rule, "Grep", { pattern: "x", path: "src" })).toBe("deny");
    expect(forbidding(rule, "List", { path: "src" }, { patternArgument: "path" })).toBe("auto");
  });
});

describe("a rule that denies reading, and names with patterns", () => {
  it.each([
    ["Read(/keys/**)", "cat k*/a", "deny"],
    ["Read(/keys/**)", "cat k*", "deny"],
    ["Read(/keys/**)", "cat ke[xy]s/a", "deny"],
    ["Read(/keys/**)", "cat ke[x/a", "deny"],
    ["Read(/keys/**)", "cat key?/a", "deny"],
    ["Read(/keys/**)", "cat l*/a", "auto"],
    ["Read(/keys/**)", "cat a/k*/b", "auto"],
    ["Read(/keys/a)", "cat keys/a*", "deny"],
    ["Read(/keys/a)", "cat keys/b*", "auto"],
    ["Read(/keys/a)", "cat k*", "auto"],
    ["Read(/keys/*.pem)", "cat keys/a*", "deny"],
    ["Read(/keys/*.pem)", "cat keys/a", "auto"],
    ["Read(/keys/a)", "cat keys/[", "deny"],
    ["Read(/keys/*/a)", "cat keys/x?/a", "deny"],
  ])("%s, %s: %s", (rule, command, decision) => {
    expect(forbidding(rule, "Bash", { command }, WORKSPACE)).toBe(decision);
  });
});

describe("the file names in a line", () => {
  it.each([
    ["Read(/END)", "cat <<END\nx\nEND", "auto"],
    ["Read(/END)", "cat <<-END", "auto"],
    ["Read(/END)", "cat <<<END", "auto"],
    ["Read(/a)", "ls > a", "auto"],
    ["Read(/a)", "cat <>a", "deny"],
    ["Write(/a)", "cat <a", "auto"],
    ["Write(/a)", "cat <>a", "deny"],
    ["Write(/1)", "ls >&1", "auto"],
    ["Write(/12)", "ls >&12", "auto"],
    ["Write(/-)", "ls 2>&-", "auto"],
    ["Write(/1)", "ls > 1", "deny"],
    ["Write(/1)", "ls &> 1", "deny"],
    ["Write(/a1)", "ls >& a1", "deny"],
    ["Write(/1a)", "ls >& 1a", "deny"],
    ["Write(/a)", "ls >&a", "deny"],
    ["Write(//dev/null)", "ls > /dev/null", "auto"],
    ["Write(/kept/**)", "touch 'kept/a\nb'", "deny"],
    ["Read(/kept/**)", "git commit -m 'a\nkept/a'", "auto"],
    ["Read(/kept/**)", "cat 'kept/a\nb'", "auto"],
    ["Write(/**)", `touch ${"x".repeat(4096)}`, "deny"],
    ["Write(/**)", `touch ${"x".repeat(4097)}`, "auto"],
    ["Write(/**)", "touch ''", "auto"],
    ["Read(/kept)", `cat ${numbered(400)}`, "auto"],
    ["Read(/kept)", `cat ${numbered(401)}`, "deny"],
    ["Read(/kept)", `cat ${"a ".repeat(500)}`, "auto"],
    ["Read(/kept)", `cat ${numbered(400)}; ls`, "auto"],
  ])("%s, %j: %s", (rule, command, decision) => {
    expect(forbidding(rule, "Bash", { command }, WORKSPACE)).toBe(decision);
  });

  it("are examined up to a limit", () => {
    const allow = ["Bash(touch *)"];
    const count = (names: number): string =>
      allowing(allow, "Bash", { command: `touch ${numbered(names)}` }, WORKSPACE);
    expect(count(400)).toBe("auto");
    expect(count(401)).toBe("approve");
  });
});

/** A list of `count` different names. */
function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => index).join(" ");
}

describe("a rule that allows", () => {
  it.each([
    [["Read"], "Write", { filePath: "a" }, "approve"],
    [["Foo(", "Write"], "Write", { filePath: "a" }, "auto"],
    [["Foo("], "Write", { filePath: "a" }, "approve"],
    [["W*"], "Write", { filePath: "a" }, "auto"],
    [["Write(/a)"], "Write", {}, "approve"],
    [["Write(/a)"], "Write", { filePath: "a" }, "auto"],
    [["Write(//code/a)"], "Write", { filePath: "a" }, "auto"],
    [["WebSearch(domain:a*)"], "WebSearch", { query: "domain:ab" }, "auto"],
    [["WebSearch(domain:a.test)"], "WebSearch", { query: "http://a.test" }, "approve"],
    [["WebSearch( a )"], "WebSearch", { query: "a" }, "approve"],
    [["WebFetch(https://a.test/*)"], "WebFetch", { url: "https://a.test/x" }, "auto"],
    [["WebFetch(domain: a.test )"], "WebFetch", { url: "https://a.test/x" }, "auto"],
    [["WebFetch(domain:*)"], "WebFetch", { url: "https://a.test/x" }, "auto"],
    [["WebFetch(domain:*)"], "WebFetch", { url: "ftp://a.test/x" }, "approve"],
    [["WebFetch(domain:a.test)"], "WebFetch", { url: "xhttp://a.test" }, "approve"],
    [["WebFetch(domain:*.a.test)"], "WebFetch", { url: "ftp://b.a.test" }, "approve"],
    [["WebFetch(domain:*.a b)"], "WebFetch", { url: "https://x.undefined" }, "approve"],
    [["WebFetch(domain:a b)"], "WebFetch", { url: "https://a" }, "approve"],
  ] as const)("%j, %s %j: %s", (allow, tool, args, decision) => {
    expect(allowing([...allow], tool, args)).toBe(decision);
  });

  it.each([
    ["Write(/**)", "/elsewhere/x", "approve"],
    ["Write(/else*/x)", "/elsewhere/x", "approve"],
    ["Write(/*/x)", "/elsewhere/x", "approve"],
    ["Write(/elsewhere/*)", "/elsewhere/x", "auto"],
    ["Write(//else*/x)", "/elsewhere/x", "auto"],
    ["Write(/x)", "/code/x", "auto"],
    ["Write(/x)", "/code/in/x", "auto"],
    ["Write(/in/x)", "/code/in/x", "auto"],
    ["Write(/y)", "/code/in/x", "approve"],
    ["Write(/in)", "/code/in/x", "auto"],
    ["Write(/in/)", "/code/in/a/x", "auto"],
    ["Write(/in)", "/code/inn/x", "approve"],
  ])("%s, Write %s in a workspace of two roots: %s", (rule, filePath, decision) => {
    const context = { ...WORKSPACE, roots: ["/code", "/code/in"] };
    expect(allowing([rule], "Write", { filePath }, context)).toBe(decision);
  });
});
