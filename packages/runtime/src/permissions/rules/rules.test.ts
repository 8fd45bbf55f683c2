import { describe, expect, it } from "vitest";
import { ValidationError } from "../../errors.ts";
import { checkRules } from "./check-rules.ts";
import { evaluatePermission, explainPermission } from "../evaluate-permission.ts";
import { suggestPattern } from "./suggest.ts";

describe("rules for a tool with a declared argument", () => {
  const context = { patternArgument: "sql", access: "execute" } as const;
  const decide = (sql: unknown, lists: object): string =>
    evaluatePermission("Db", { sql: sql as string }, "default", lists, context);

  it("match that argument", () => {
    expect(decide("drop table a", { deny: ["Db(drop*)"] })).toBe("deny");
    expect(decide("select 1", { deny: ["Db(drop*)"] })).toBe("approve");
    expect(decide("select 1", { allow: ["Db(select*)"] })).toBe("auto");
    expect(decide(7, { deny: ["Db(7)"] })).toBe("deny");
  });

  it("match a built-in tool's declared argument, too", () => {
    const lists = { deny: ["Grep(*.env)"] };
    const args = { pattern: "x", path: "/a/.env" };
    const named = { patternArgument: "path" };
    expect(evaluatePermission("Grep", args, "default", lists, named)).toBe("deny");
    expect(evaluatePermission("Grep", args, "default", lists)).toBe("auto");
  });

  it("deny when there is no argument to match", () => {
    expect(evaluatePermission("Db", { sql: "x" }, "default", { deny: ["Db(drop*)"] })).toBe("deny");
    expect(evaluatePermission("Db", { sql: "x" }, "default", { allow: ["Db(x)"] })).toBe("approve");
  });
});

describe("a star in a tool's name", () => {
  const decide = (tool: string, lists: object): string =>
    evaluatePermission(tool, { command: "rm x" }, "default", lists);

  it("matches any characters", () => {
    expect(decide("mcp__srv__read", { deny: ["mcp__srv__*"] })).toBe("deny");
    expect(decide("mcp__other__read", { deny: ["mcp__srv__*"] })).toBe("approve");
    expect(decide("mcp__srv__read", { allow: ["mcp__srv__*"] })).toBe("auto");
    expect(decide("Bash", { deny: ["B*(rm *)"] })).toBe("deny");
  });
});

describe("an invalid rule", () => {
  it.each(["Bash(rm *", "Bash()", "Bash( )", "Bash rm", "Bash(rm *) x"])(
    "%j applies to every call of its tool when it denies or asks, and to none when it allows",
    (rule) => {
      const decide = (lists: object, tool = "Bash"): string =>
        evaluatePermission(tool, { command: "ls" }, "default", lists);
      expect(decide({ deny: [rule] })).toBe("deny");
      expect(decide({ ask: [rule], allow: ["Bash"] })).toBe("approve");
      expect(decide({ allow: [rule] })).toBe("approve");
      expect(decide({ deny: [rule] }, "Read")).toBe("auto");
    },
  );

  it("applies to every tool when it names none", () => {
    expect(evaluatePermission("Read", {}, "default", { deny: [""] })).toBe("deny");
  });

  it.each(["Bash(rm *", "Bash()", "", " ", "Bash rm"])("is reported by validation: %j", (rule) => {
    for (const kind of ["allow", "ask", "deny"]) {
      const check = (): void => checkRules({ [kind]: ["Read", rule] });
      expect(check).toThrow(ValidationError);
      expect(check).toThrow(JSON.stringify(rule));
    }
  });

  it("is distinguished from valid rules", () => {
    const rules = ["Read", "Bash(git log --format=(%h))", "mcp__srv__*", "Write(/src/**)", "*"];
    expect(() => checkRules({ allow: rules, deny: rules })).not.toThrow();
    expect(() => checkRules({})).not.toThrow();
  });
});

describe("a suggested pattern", () => {
  const explain = (
    tool: string,
    args: Record<string, string>,
    rule: string,
    context = {},
  ): string => explainPermission(tool, args, "default", { allow: [rule] }, context).decision;

  it("allows exactly the same command again", () => {
    const commands = sampleCommands(200);
    expect(new Set(commands).size).toBeGreaterThan(190);
    for (const command of commands) {
      const rule = suggestPattern("Bash", { command });
      expect(rule, command).toBeDefined();
      expect(explain("Bash", { command }, rule ?? ""), command).toBe("auto");
      for (const changed of [`${command} x`, `x${command}`, `${command}; rm x`, `${command}|sh`])
        expect(explain("Bash", { command: changed }, rule ?? ""), changed).toBe("approve");
    }
  });

  it("is not a pattern of words when it has quotes or operators", () => {
    const rule = suggestPattern("Bash", { command: "ls > x" }) ?? "";
    expect(explain("Bash", { command: "ls '>' x" }, rule)).toBe("approve");
    expect(explain("Bash", { command: "true && ls '>' x" }, rule)).toBe("approve");
  });

  it.each([
    ["WebSearch", { query: "what (is) this" }, {}],
    ["Write", { filePath: "src/a b.ts" }, {}],
    ["Edit", { filePath: "/src/(group)/page.ts" }, {}],
    ["Db", { sql: " select 1 " }, { patternArgument: "sql" }],
  ] as const)("matches a call of %s", (tool, args, context) => {
    const rule = suggestPattern(tool, args, context) ?? "";
    const [key, value] = Object.entries(args)[0] ?? ["", ""];
    expect(explain(tool, args, rule, context)).toBe("auto");
    expect(explain(tool, { [key]: `${value}x` }, rule, context)).toBe("approve");
  });

  it.each([
    ["Glob", { pattern: "src/a.ts" }],
    ["Grep", { pattern: "a(b)" }],
  ] as const)("is the rule that allowed a call of %s", (tool, args) => {
    const rule = suggestPattern(tool, args) ?? "";
    expect(explainPermission(tool, args, "default", { allow: [rule] })).toMatchObject({ rule });
  });

  it("is missing when no rule can express it", () => {
    expect(suggestPattern("Glob", { pattern: "src/**" })).toBeUndefined();
    expect(suggestPattern("Bash", { command: "ls\nrm x" })).toBeUndefined();
    expect(suggestPattern("Bash", { command: "ls\u001b[2K" })).toBeUndefined();
    expect(suggestPattern("Bash", { command: "  " })).toBeUndefined();
    expect(suggestPattern("WebSearch", {})).toBeUndefined();
    expect(suggestPattern("Db", { sql: "select * from a" }, { patternArgument: "sql" })).toBe(
      undefined,
    );
    expect(suggestPattern("my tool", {})).toBeUndefined();
  });

  it("is the whole tool when it has no argument for patterns", () => {
    expect(suggestPattern("deploy", { command: "x" })).toBe("deploy");
  });
});

/** Command lines put together from pieces, the same on every run. */
function sampleCommands(count: number): string[] {
  const pieces = ["npm test", "npm run lint", "git commit -m", '"a b"', "'c d'", "ls > x", "&&"];
  pieces.push("|", ";", "$(date)", "(x)", "sudo rm x", "FOO=1", "ü", "\\", "`id`", "{a,b}", "#c");
  let seed = 1;
  const next = (limit: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 3 + next(4) }, () => pieces[next(pieces.length)]).join(" "),
  );
}
