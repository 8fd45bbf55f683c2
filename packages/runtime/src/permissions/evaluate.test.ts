import { describe, expect, it } from "vitest";
import { evaluatePermission, explainPermission } from "./evaluate-permission.ts";
import { suggestPattern } from "./rules/suggest.ts";
import { PERMISSION_MODES, type PermissionMode } from "./permission.ts";
import { expectWithin } from "../../../../test/support/time/own-time.ts";

const bash = (command: string, lists = {}, mode: PermissionMode = "default"): string =>
  evaluatePermission("Bash", { command }, mode, lists);

describe("modes", () => {
  const table = {
    plan: {
      Read: "auto",
      Glob: "auto",
      Grep: "auto",
      Write: "deny",
      Edit: "deny",
      Bash: "deny",
      WebFetch: "approve",
      Other: "deny",
    },
    default: {
      Read: "auto",
      Glob: "auto",
      Grep: "auto",
      Write: "approve",
      Edit: "approve",
      Bash: "approve",
      WebFetch: "approve",
      Other: "approve",
    },
    acceptEdits: {
      Read: "auto",
      Glob: "auto",
      Grep: "auto",
      Write: "auto",
      Edit: "auto",
      Bash: "approve",
      WebFetch: "approve",
      Other: "approve",
    },
    bypassPermissions: {
      Read: "auto",
      Glob: "auto",
      Grep: "auto",
      Write: "auto",
      Edit: "auto",
      Bash: "auto",
      WebFetch: "auto",
      Other: "auto",
    },
  } as const;

  for (const mode of PERMISSION_MODES) {
    it(`decides in ${mode} as specified`, () => {
      const decisions = Object.fromEntries(
        Object.keys(table[mode]).map((tool) => [tool, evaluatePermission(tool, {}, mode)]),
      );
      expect(decisions).toEqual(table[mode]);
    });
  }

  it("uses a tool's declared access when it is unknown by name", () => {
    expect(evaluatePermission("lookup", {}, "plan", {}, { access: "read" })).toBe("auto");
    expect(evaluatePermission("deploy", {}, "acceptEdits", {}, { access: "execute" })).toBe(
      "approve",
    );
  });
});

describe("the precedence of rules", () => {
  it("deny wins in every mode, over any allow", () => {
    for (const mode of PERMISSION_MODES) {
      expect(
        bash("rm -rf x", { deny: ["Bash(rm *)"], allow: ["Bash(rm -rf x)", "Bash"] }, mode),
      ).toBe("deny");
    }
  });

  it("ask wins over allow", () => {
    expect(bash("git push", { ask: ["Bash(git push *)"], allow: ["Bash(git *)"] })).toBe("approve");
  });

  it("allow permits calls that need approval in the mode", () => {
    expect(bash("pnpm test", { allow: ["Bash(pnpm *)"] })).toBe("auto");
    expect(evaluatePermission("Write", { filePath: "/x" }, "plan", { allow: ["Write"] })).toBe(
      "auto",
    );
  });

  it("reports the deciding rule", () => {
    expect(
      explainPermission("Bash", { command: "rm x" }, "default", { deny: ["Read", "Bash(rm *)"] }),
    ).toMatchObject({
      decision: "deny",
      step: "deny",
      rule: "Bash(rm *)",
    });
    expect(explainPermission("Write", {}, "default").step).toBe("mode");
  });
});

describe("rules for commands", () => {
  const allow = { allow: ["Bash(npm *)", "Bash(ls *)", "Bash(echo *)"] };

  it.each([
    "npm test",
    "npm run build -- --watch",
    "npm",
    "ls -la src",
    "npm test && ls",
    "echo 'a b' | npm x; ls",
    "ls && 'ls'",
    "ls && 'ls' ",
    "ls a-2 2>/dev/null",
    "ls 2>&1",
    "ls a* --x=b*",
  ])("allows %j, which the rules cover completely", (command) =>
    expect(bash(command, allow)).toBe("auto"),
  );

  it.each([
    "lsof",
    "npm test && rm -rf /",
    "rm x; npm test",
    "npm test &",
    "npm test | sh",
    "npm test > /etc/passwd",
    "npm test < secret",
    "echo $(rm x)",
    "echo `rm x`",
    'echo "$(rm x)"',
    "echo ${x@P}",
    "echo $HOME",
    "echo *",
    "ls -a*",
    "ls a>&1",
    "ls ''2>&1",
    'echo "a$PWD/b"',
    "echo 'a\u007f'",
    "(ls)",
    "npm test &&",
    "npm 'unterminated",
    "PATH=. npm test",
    "npm test\nrm x",
    "npm test\rrm x",
    "npm test \\\n rm x",
    `npm ${"x".repeat(10_000)}`,
    "echo a #b",
    "",
  ])("needs approval for %j, which they don't prove", (command) =>
    expect(bash(command, allow)).toBe("approve"),
  );

  it("reads a number before a redirection as a part of the word it ends", () => {
    const decide = (command: string): string => bash(command, { allow: ["Bash(ls a-)"] });
    expect(decide("ls a- 2>/dev/null")).toBe("auto");
    expect(decide("ls a-2>/dev/null")).toBe("approve");
    expect(decide("ls 'a-'2>/dev/null")).toBe("approve");
    expect(bash("make", { allow: ["Bash(make * *)"] })).toBe("approve");
  });

  it("never prove a launched command by a rule for its launcher", () => {
    expect(bash("xargs rm", { allow: ["Bash(xargs *)"] })).toBe("approve");
    expect(bash("find . -exec rm {} +", { allow: ["Bash(find *)"] })).toBe("approve");
  });

  it.each([
    "rm x",
    "ls && rm x",
    "ls; rm -rf /",
    "echo $(rm x)",
    "for i in 1; do rm x; done",
    "ls | rm x",
    "ls\nrm x",
    "(rm x)",
    "{ rm x; }",
  ])("refuses %j when any part is forbidden", (command) =>
    expect(bash(command, { deny: ["Bash(rm *)"] }, "bypassPermissions")).toBe("deny"),
  );
});

describe("rules for paths", () => {
  const read = (filePath: string, rule: string, cwd = "/code"): string =>
    evaluatePermission("Write", { filePath }, "default", { allow: [rule] }, { cwd });

  it("anchor at the working directory, and at the root outside of it", () => {
    expect(read("/code/src/a/b.ts", "Write(/src/**)")).toBe("auto");
    expect(read("src/a.ts", "Write(/src/**)")).toBe("auto");
    expect(read("/src/a.ts", "Write(/src/**)")).toBe("auto");
    expect(read("/src/a.ts", "Write(src/**)")).toBe("approve");
    expect(read("/src/a.ts", "Write(//src/*)")).toBe("auto");
  });

  it("normalise dots before matching", () => {
    expect(read("/code/src/../secret", "Write(/src/**)")).toBe("approve");
    expect(read("src/./a.ts", "Write(/src/*.ts)")).toBe("auto");
    expect(read("/code-2/src/a.ts", "Write(/code/**)")).toBe("approve");
  });

  it("match a star within one segment", () => {
    expect(read("/code/src/a/b.ts", "Write(/src/*)")).toBe("approve");
    expect(read("/code/src/a/b.ts", "Write(/src/**/b.ts)")).toBe("auto");
  });

  it("match `*` with any argument", () => expect(read("/anywhere", "Write(*)")).toBe("auto"));

  it("match patterns in linear time", async () => {
    await expectWithin(500, () => {
      read(`/${"a/".repeat(200)}x`, `Write(//${"**/".repeat(50)}y)`);
      read(`/${"a".repeat(5000)}`, `Write(//${"a*".repeat(50)}y)`);
    });
  });
});

it("suggest the narrowest rule, never a whole tool that runs commands", () => {
  expect(suggestPattern("Bash", { command: "npm test" })).toBe("Bash(npm test)");
  expect(suggestPattern("Bash", { command: "rm *" })).toBeUndefined();
  expect(suggestPattern("Edit", { filePath: "/a/b" })).toBe("Edit(//a/b)");
  expect(suggestPattern("lookup", {})).toBe("lookup");
});
