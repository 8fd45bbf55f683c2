import { describe, expect, it } from "vitest";
import type { ToolArgs } from "../../messages/message.ts";
import { explainPermission } from "../evaluate-permission.ts";
import { isReadOnly } from "../read-only/read-only-commands.ts";
import type { PermissionLists, PermissionMode } from "../permission.ts";

const WORKSPACE = {
  cwd: "/code",
  roots: ["/code"],
  readableRoots: ["/kept"],
  home: "/home/user",
  isReadOnly,
};

interface Given {
  lists?: PermissionLists;
  mode?: PermissionMode;
  context?: object;
}

/** The decision, the step and the beginning of the reason. */
const explain = (
  tool: string,
  args: ToolArgs,
  { lists = {}, mode = "default", context = {} }: Given = {},
): string => {
  const found = explainPermission(tool, args, mode, lists, { ...WORKSPACE, ...context });
  return `${found.decision} ${found.step}: ${found.reason}`;
};
const line = (command: string, allow: string[] = [], given: Given = {}): string =>
  explain("Bash", { command }, { ...given, lists: { allow } });

const bypass = { mode: "bypassPermissions" } as const;
const FAR = "approve protected: It is outside";
const SECRET = "approve protected: The file is of a kind";

describe("the reason of a decision", () => {
  it.each([
    ["Write", "plan", {}, "deny mode: The mode plan forbids changes."],
    ["Write", "plan", { allow: ["Write"] }, "deny mode: The mode plan forbids changes."],
    ["Read", "plan", {}, "auto mode: The mode plan allows it."],
    ["Write", "default", {}, "approve mode: No rule covers it, and the mode default asks"],
    ["Write", "acceptEdits", {}, "auto mode: The mode acceptEdits allows it."],
    ["Write", "default", { allow: ["Write"] }, "auto allow: The rule Write allows it."],
    ["Write", "default", { deny: ["Write"] }, "deny deny: The rule Write forbids it."],
    ["Write", "default", { ask: ["Write"] }, "approve ask: The rule Write asks for approval."],
  ] as const)("of %s in %s with %j", (tool, mode, lists, reason) => {
    expect(explain(tool, { filePath: "a" }, { mode, lists: { ...lists } })).toContain(reason);
  });

  it("is the mode's without a known workspace", () => {
    const { decision, step, reason } = explainPermission("Bash", { command: "ls" }, "plan");
    expect({ decision, step, reason }).toEqual({
      decision: "deny",
      step: "mode",
      reason: "The mode plan forbids it.",
    });
  });

  it("is read-only access only when the mode would need approval", () => {
    expect(line("ls")).toBe("auto mode: It is read-only within the workspace.");
    expect(line("ls", [], bypass)).toBe("auto mode: The mode bypassPermissions allows it.");
  });
});

describe("an unusable path", () => {
  it.each(["Read", "Write", "Edit"])("is refused for %s", (tool) => {
    expect(explain(tool, { filePath: "a\0b" })).toContain(
      "deny protected: The path contains control",
    );
  });

  it.each(["Glob", "Grep"])("is refused for %s", (tool) => {
    expect(explain(tool, { pattern: "x", path: "a\0b" })).toContain("deny protected: The path");
    expect(explain(tool, { pattern: "a\0b" })).toContain("auto mode");
  });

  it("is the argument of a tool for files", () => {
    expect(explain("Other", { path: "a\0b" }, bypass)).toContain("auto mode");
    expect(explain("Read", { filePath: 5 })).toContain("auto mode");
  });
});

describe("calls that always need approval", () => {
  it.each([
    ["Bash", { command: "touch /etc/cron.d/$X" }, "approve protected: It may change a program"],
    ["Bash", { command: "touch $X/.git/config" }, "approve protected: It may change the inside"],
    [
      "Bash",
      { command: "cp a .g*/hooks/pre-commit" },
      "approve protected: It may change the inside",
    ],
    ["Bash", { command: "mv a .[g]it/hooks" }, "approve protected: It may change the inside"],
    ["Bash", { command: "echo x > .rob??a/a" }, "approve protected: It may change the agent's"],
    [
      "Bash",
      { command: "cp a .gith*/w*/a.yml" },
      "approve protected: It may change a configuration",
    ],
    ["Bash", { command: `touch ${"/.*".repeat(9)}` }, "approve protected: It may change"],
    ["Bash", { command: "rm .coverage.*" }, "auto mode"],
    ["Bash", { command: "cp a src/*/hooks" }, "auto mode"],
    ["Bash", { command: "git init --template=a" }, "approve protected: It may change the inside"],
    [
      "Bash",
      { command: "git config core.hooksPath a" },
      "approve protected: It may change the inside",
    ],
    ["Bash", { command: "git config alias.x '!a'" }, "approve protected: It may change the inside"],
    ["Bash", { command: "git config --get core.hooksPath" }, "auto mode"],
    ["Bash", { command: "git config user.name a" }, "auto mode"],
    ["Bash", { command: "mv -ft a ." }, "approve protected: It reaches everything"],
    ["Bash", { command: "touch $X" }, "auto mode"],
    ["Bash", { command: "exec 3<>/dev/tcp/evil.test/80" }, "approve protected: It opens a"],
    ["Bash", { command: "ls /dev/tcp" }, "auto mode"],
    ["Bash", {}, "auto mode"],
    ["WebSearch", { query: "rm -rf /" }, "auto mode"],
    ["Write", { filePath: ".git/config" }, "approve protected: It changes the inside"],
    ["Write", { filePath: "a" }, "auto mode"],
    ["Read", { filePath: ".git/config" }, "auto mode"],
  ])("%s %j: %s", (tool, args, reason) => {
    expect(explain(tool, args, bypass)).toContain(reason);
  });

  it("include unreadable lines only while a rule concerns commands", () => {
    const command = "node -e 1";
    const decide = (lists: PermissionLists): string =>
      explain("Bash", { command }, { lists, ...bypass });
    expect(decide({ deny: ["Bash(curl *)"] })).toContain(
      "approve protected: Its text does not show what it runs",
    );
    expect(decide({ ask: ["Bash(curl *)"] })).toContain(
      "approve protected: Its text does not show what it runs",
    );
    expect(decide({ ask: ["Bash"] })).toContain("approve ask");
    expect(decide({ deny: ["Write(/x)", "Read(/y)"] })).toContain("auto mode");
    expect(decide({ deny: ["Foo(x"] })).toContain("auto mode");
    expect(
      explain("Bash", { command: "rg x" }, { lists: { deny: ["Bash(curl *)", "Foo("] } }),
    ).toBe("auto mode: It is read-only within the workspace.");
  });
});

describe("files outside of the workspace", () => {
  it.each([
    ["Read", "/elsewhere/a", [], FAR],
    ["Read", "/elsewhere/a", ["Read"], "auto allow"],
    ["Read", "/kept/a", [], "auto mode"],
    ["Write", "/kept/a", [], FAR],
    ["Write", "/elsewhere/a", ["Write"], FAR],
    ["Write", "/elsewhere/a", ["Write(//elsewhere/*)"], "auto allow"],
    ["Write", "a", ["Write"], "auto allow"],
    ["Read", ".env", [], SECRET],
    ["Read", ".env", ["Read"], SECRET],
    ["Read", ".env", ["Read(/.e*)"], SECRET],
    ["Read", ".env", ["Read(/.env)"], "auto allow"],
    ["Read", "keys/.env", ["Read(/keys)"], SECRET],
  ] as const)("%s %s with %j: %s", (tool, filePath, allow, reason) => {
    expect(explain(tool, { filePath }, { lists: { allow: [...allow] } })).toContain(reason);
  });

  it("need no approval where nothing exists", () => {
    for (const filePath of ["/elsewhere/a", ".env"])
      expect(explain("Read", { filePath }, bypass)).toContain("auto mode");
  });

  it("include the targets of links", () => {
    const context = (path: string) => ({ realPaths: (from: string) => [from, path] });
    const read = { filePath: "/code/a" };
    expect(explain("Read", read, { context: context("/code/.env") })).toContain(SECRET);
    expect(explain("Read", read, { context: context("/elsewhere/a") })).toContain(FAR);
    expect(explain("Grep", { path: "/code/a" }, { context: context("/code/.env") })).toContain(
      "approve protected: It searches in files",
    );
    const given = { context: context("/code/.env") };
    expect(line("cat a", ["Bash(cat *)"], given)).toContain("approve protected: It names a file");
    const both = { allow: ["Read(/a)", "Read(/.e*)"] };
    expect(explain("Read", read, { lists: both, ...given })).toContain(SECRET);
  });

  it("are assumed when undecidable", () => {
    const context = { realPaths: () => undefined };
    const lists = { allow: ["Grep", "Read", "Write"] };
    for (const tool of ["Read", "Write"])
      expect(explain(tool, { filePath: "a" }, { lists, context })).toContain("can't be resolved");
    expect(explain("Grep", { pattern: "x" }, { context })).toContain("It searches outside");
    expect(explain("Grep", { pattern: "x" }, { context, lists })).toContain("auto allow");
  });

  it.each([
    ["Grep", { pattern: "x", path: "/elsewhere" }, [], "approve protected: It searches outside"],
    ["Grep", { pattern: "x", path: "/elsewhere" }, ["Grep"], "auto allow"],
    ["Grep", { pattern: "x", path: "/kept" }, [], "auto mode"],
    ["Grep", { pattern: "x", path: ".env" }, [], "approve protected: It searches in files"],
    ["Grep", { pattern: "x", path: ".env" }, ["Grep"], "approve protected: It searches in files"],
    ["Grep", { pattern: "x", path: ".env" }, ["Grep(x)"], "auto allow"],
    ["Glob", { pattern: "/elsewhere/*" }, [], "approve protected: It searches outside"],
    ["Glob", { pattern: "/kept/*" }, [], "auto mode"],
  ] as const)("%s %j with %j: %s", (tool, args, allow, reason) => {
    expect(explain(tool, args, { lists: { allow: [...allow] } })).toContain(reason);
  });

  it.each([
    ["touch /elsewhere/a", "Bash(touch *)", "approve protected: It changes files outside"],
    ["touch '/elsewhere/a\nb'", "Bash(touch *)", "approve protected: It changes files outside"],
    ["touch /kept/a", "Bash(touch *)", "approve protected: It changes files outside"],
    ["touch /elsewhere/a", "Bash(touch /elsewhere/a)", "auto allow"],
    ["touch /elsewhere/a", "Bash", "auto allow"],
    ["touch a", "Bash(touch *)", "auto allow"],
    ["make -C /elsewhere", "Bash(make *)", "approve protected: It changes files outside"],
    ["cat .env", "Bash(cat *)", "approve protected: It names a file"],
    ["cat .en?", "Bash(cat *)", "approve protected: It names a file"],
    ["cat src/.[e]nv*", "Bash(cat *)", "approve protected: It names a file"],
    ["cat .prettier*", "Bash(cat *)", "auto allow"],
    ["cat /elsewhere/a", "Bash(cat *)", "auto allow"],
    [
      `touch ${[...Array(401).keys()].join(" ")}`,
      "Bash(touch *)",
      "approve protected: It names too",
    ],
    ["git -C src log", "Bash(git *)", "approve protected: Git would obey"],
    ["git -C ~other log", "Bash(git *)", "approve protected: It changes files outside"],
    ["git -C /code log", "Bash(git *)", "auto allow"],
    ["git log", "Bash(git *)", "auto allow"],
  ])("%j with %s: %s", (command, rule, reason) => {
    expect(line(command, [rule])).toContain(reason);
  });

  it("do not concern a text that is not a command line", () => {
    const context = { patternArgument: "sql" };
    const lists = { allow: ["Db(touch *)"] };
    expect(explain("Db", { sql: "touch /etc/x" }, { lists, context })).toContain("auto allow");
  });
});

describe("the directory of git", () => {
  it.each([
    ["/code/src", "git status", "auto mode"],
    ["/code/src", "cd /code && git status", "auto mode"],
    ["/code/src", "cd /code/lib && git status", "approve mode"],
    ["/code", "cd src && git status", "approve mode"],
  ])("from %s, %j: %s", (directory, command, reason) => {
    expect(line(command, [], { context: { directory } })).toContain(reason);
  });

  it("may be the working directory, also outside of the roots", () => {
    const context = { cwd: "/code/src", directory: "/code/lib", roots: ["/code"] };
    expect(line("cd /code/src && git status", [], { context })).toContain("auto mode");
    expect(line("cd /code/other && git status", [], { context })).toContain("approve mode");
  });
});

describe("after a result from the network", () => {
  const context = { untrusted: true };
  const REACHES = "approve protected: The conversation contains network content";

  it.each([
    ["WebSearch", { query: "x" }, [], REACHES],
    ["WebSearch", { query: "x" }, ["WebSearch"], REACHES],
    ["WebSearch", { query: "x" }, ["WebSearch(x)"], "auto allow"],
    ["WebSearch", { query: "x" }, ["WebSearch(x*)"], "auto allow"],
    ["WebFetch", { url: "https://a.test" }, [], REACHES],
    ["WebFetch", { url: "https://a.test" }, ["WebFetch"], REACHES],
    ["WebFetch", { url: "https://b.a.test" }, ["WebFetch(domain:*.a.test)"], "auto allow"],
    ["Read", { filePath: "/elsewhere/a" }, [], REACHES],
    ["Read", { filePath: "/elsewhere/a" }, ["Read"], REACHES],
    ["Read", { filePath: "/elsewhere/a" }, ["Read(//elsewhere/a)"], "auto allow"],
    ["Read", { filePath: "/kept/a" }, [], "auto mode"],
    ["Read", { filePath: "a", path: "/elsewhere" }, [], "auto mode"],
    ["Read", {}, [], "auto mode"],
    ["Glob", { pattern: "/elsewhere/*" }, [], REACHES],
    ["Glob", { pattern: "*" }, [], "auto mode"],
    ["Grep", { pattern: "x", path: "/elsewhere" }, [], REACHES],
    ["Grep", { pattern: "/elsewhere" }, [], "auto mode"],
    ["Bash", { command: "curl https://a.test" }, [], REACHES],
    ["Bash", { command: "/usr/bin/curl https://a.test" }, [], REACHES],
    ["Bash", { command: "git push" }, [], REACHES],
    ["Bash", { command: "ls && npm publish" }, [], REACHES],
    ["Bash", { command: "npm test" }, [], "auto mode"],
    ["Bash", { command: "git push" }, ["Bash(git *)"], REACHES],
    ["Bash", { command: "git push" }, ["Bash(git push)"], "auto allow"],
    ["Bash", { command: "git push && ls a" }, ["Bash(git push)", "Bash(ls *)"], REACHES],
    ["Other", { path: "/elsewhere" }, [], "auto mode"],
  ] as const)("%s %j with %j: %s", (tool, args, allow, reason) => {
    const given = { lists: { allow: [...allow] }, context, ...bypass };
    expect(explain(tool, args, given)).toContain(reason);
  });

  it("uses another tool's declared access", () => {
    const other = (access: string): string =>
      explain("Other", { command: "curl x" }, { context: { untrusted: true, access }, ...bypass });
    expect(other("network")).toContain(REACHES);
    expect(other("read")).toContain("auto mode");
    expect(explain("WebFetch", { url: "https://a.test" }, bypass)).toContain("auto mode");
  });

  it("needs approval for a read whose path is undecidable", () => {
    const given = { context: { ...context, realPaths: () => undefined }, ...bypass };
    expect(explain("Read", { filePath: "a" }, given)).toContain(REACHES);
  });
});
