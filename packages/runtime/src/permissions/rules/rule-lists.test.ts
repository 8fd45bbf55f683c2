import { describe, expect, it } from "vitest";
import { ValidationError } from "../../errors.ts";
import { checkRules } from "./check-rules.ts";
import { DEFAULT_ALLOW_PATTERNS } from "./default-rules.ts";
import { evaluatePermission, explainPermission } from "../evaluate-permission.ts";
import { type PermissionLists, requirePermissionMode, TRUST_TO_MODE } from "../permission.ts";
import { permissionWarnings } from "./rule-warnings.ts";
import { suggestPattern } from "./suggest.ts";
import { visibleText } from "../visible-text.ts";

describe("layers of rules", () => {
  const lists: PermissionLists = {
    allow: ["Bash(npm *)"],
    layers: [
      { name: "user", lists: { deny: ["Bash(rm *)"], allow: ["Bash(ls *)"] } },
      { name: "project", lists: { deny: [], ask: ["Bash(npm publish *)"] } },
    ],
  };
  const explain = (command: string) => explainPermission("Bash", { command }, "default", lists);

  it("apply together, and an explanation names the deciding one", () => {
    expect(explain("npm test")).toMatchObject({ decision: "auto", rule: "Bash(npm *)" });
    expect(explain("npm test")).not.toHaveProperty("layer");
    expect(explain("ls x")).toMatchObject({ decision: "auto", layer: "user" });
    expect(explain("npm publish")).toMatchObject({
      decision: "approve",
      step: "ask",
      layer: "project",
    });
    expect(explain("ls && rm x")).toMatchObject({
      decision: "deny",
      layer: "user",
      command: "rm x",
    });
  });

  it("H22: no layer removes another one's denials", () => {
    const loosened = {
      ...lists,
      layers: [...(lists.layers ?? []), { name: "late", lists: { allow: ["Bash"], deny: [] } }],
    };
    expect(evaluatePermission("Bash", { command: "rm x" }, "bypassPermissions", loosened)).toBe(
      "deny",
    );
  });

  it("can be nested", () => {
    const inner = { layers: [{ name: "inner", lists: { deny: ["Read"] } }] };
    const nested = { layers: [{ name: "outer", lists: inner }] };
    expect(explainPermission("Read", {}, "default", nested)).toMatchObject({ layer: "inner" });
  });

  it("are validated, each by its name", () => {
    const broken = { layers: [{ name: "project", lists: { allow: ["Bash("] } }] };
    expect(() => checkRules(broken)).toThrow(ValidationError);
    expect(() => checkRules(broken)).toThrow('in "allow" of project is no');
    expect(() => checkRules({ allow: ["Bash("] })).toThrow('in "allow" is no');
    const deeper = { layers: [{ name: "user", lists: { layers: broken.layers } }] };
    expect(() => checkRules(deeper)).toThrow(ValidationError);
    const unknown: unknown = 5;
    expect(() => checkRules({ allow: [unknown as string] })).toThrow(ValidationError);
  });
});

describe("examples of a rule", () => {
  const check = (kind: "allow" | "deny", rule: string, match: string[], notMatch: string[]): void =>
    checkRules({ [kind]: [rule], examples: { [rule]: { match, notMatch } } });

  it("hold, or the lists are refused", () => {
    expect(() =>
      check("allow", "Bash(pnpm *)", ["pnpm test", "pnpm"], ["pnpmx", "pnpm test; rm x"]),
    ).not.toThrow();
    expect(() =>
      check("deny", "Bash(rm *)", ["sudo rm x", "ls && rm x"], ["rmdir x"]),
    ).not.toThrow();
    expect(() => check("allow", "Write(/src/**)", ["/src/a.ts"], ["/etc/x"])).not.toThrow();
    expect(() =>
      check("allow", "WebFetch(domain:a.test)", ["https://a.test/x"], ["https://b.test"]),
    ).not.toThrow();
    expect(() => check("allow", "Bash(ls*)", ["ls"], ["lsof"])).toThrow(
      'matches its example "lsof"',
    );
    expect(() => check("deny", "Bash(git push)", ["git push --force"], [])).toThrow(
      "does not match",
    );
  });

  it("are those of a layer, too", () => {
    const examples = { "Bash(ls *)": { match: ["rm x"] } };
    const lists = { allow: ["Bash(ls *)"], examples };
    expect(() => checkRules({ layers: [{ name: "user", lists }] })).toThrow("does not match");
    expect(() =>
      checkRules({ allow: ["Bash(ls *)"], examples: { "Bash(ls *)": {} } }),
    ).not.toThrow();
  });

  it("may be as deep as the rule allows, and name no other tool", () => {
    expect(() => check("allow", "Other(a*)", ["ab"], ["b"])).not.toThrow();
    expect(() => check("allow", "Other(a*)", ["b"], [])).toThrow("does not match");
    expect(() => check("deny", "mcp__a__*", ["x"], [])).not.toThrow();
  });

  it("belong to a rule of the lists", () => {
    expect(() => checkRules({ allow: ["Write"], examples: { Read: { match: ["x"] } } })).toThrow(
      "not a rule of these lists",
    );
    expect(() => checkRules({ examples: { Read: { match: ["x"] } } })).toThrow(
      "not a rule of these lists",
    );
  });
});

describe("warnings", () => {
  const about = (rule: string, kind: "allow" | "deny" = "allow"): string =>
    permissionWarnings({ [kind]: [rule] })
      .map(({ message }) => message)
      .join(" ");

  it.each([
    ["Bash(ls*)", "other commands that begin with ls"],
    ["Bash(git * main)", "A star before the end"],
    ["Bash(pnpm *)", "any script of package.json"],
    ["Bash(npm run *)", "Write access to package.json"],
    ["Bash(make *)", "the project's files"],
    ["Bash(find *)", "run or write"],
    ["Bash(env *)", "run or write"],
    ["Bash(curl *)", "any host"],
    ["Bash(* )", "every command"],
    ["Bash(*)", "every command"],
    ["Bash", "every command"],
    ["Bash(npm test*)", "only the beginning"],
    ["WebFetch", "any host"],
    ["WebFetch(https://*)", "any host"],
    ["mcp__*", "every MCP server"],
    ["Write(//**)", "far outside"],
    ["Write(//)", "far outside"],
    ["Edit(~/**)", "far outside"],
    ["Edit(~)", "far outside"],
    ["Edit(~/)", "far outside"],
    ["WebFetch(*)", "any host"],
    ["mcp__*__read", "every MCP server"],
    ["Bash(ls*x)", "begin with ls;"],
    ["Bash(find . -name *)", "run or write"],
    ["Bash(git -c *)", "run or write"],
    ["Bash(docker r* *)", "the project's files"],
    ["Bash(cargo build x*)", "only the beginning"],
    ["*", "every tool"],
  ])("1.1: warn of %s, which does more than it seems to", (rule, message) =>
    expect(about(rule)).toContain(message),
  );

  it.each([
    "Bash(npm test)",
    "Bash(git status *)",
    "Read(/src/**)",
    "WebFetch(domain:a.test)",
    "mcp__db__query",
    "Read(//**)",
    "Write(/a//**)",
    "Write(/a//)",
    "Write(//a/**)",
    "Write(/src/~)",
    "Edit(~/a/**)",
    "Edit(~other/**)",
    "Write",
    "a__mcp__*",
    "Bash(make test)",
    "Bash(make test *)",
    "Bash(pnpm build *)",
    "Bash(other run *)",
    "Bash(findx *)",
    "Bash(xfind *)",
    "Bash(curlx *)",
    "Bash(xcurl *)",
    "Bash(cat git -c *)",
  ])("do not concern %s", (rule) => expect(about(rule)).toBe(""));

  it.each([
    ["Bash(npx *)", "npx fetches and runs any program"],
    ["Bash(npx:*)", "npx fetches and runs any program"],
    ["Bash(pnpm dlx *)", "pnpm dlx runs any program"],
    ["Bash(pnpm exec *)", "pnpm exec runs any program"],
    ["Bash(npm exec *)", "npm exec runs any program"],
    ["Bash(npm x *)", "npm x runs any program"],
    ["Bash(yarn dlx *)", "yarn dlx runs any program"],
    ["Bash(yarn exec *)", "yarn exec runs any program"],
    ["Bash(bun x *)", "bun x runs any program"],
    ["Bash(poetry run *)", "poetry run runs any program"],
    ["Bash(pipenv run *)", "pipenv run runs any program"],
    ["Bash(uv run *)", "uv run runs any program"],
    ["Bash(bundle exec *)", "bundle exec runs any program"],
    ["Bash(go run *)", "go run runs any program"],
    ["Bash(cargo run *)", "cargo run runs any program"],
    ["Bash(deno run *)", "deno run runs any program"],
    ["Bash(docker run *)", "docker run runs any program"],
    ["Bash(docker exec *)", "docker exec runs any program"],
    ["Bash(podman exec *)", "podman exec runs any program"],
    ["Bash(kubectl exec *)", "kubectl exec runs any program"],
    ["Bash(pnpm *)", "any program behind exec, dlx, create"],
    ["Bash(docker *)", "any program behind run, exec, compose"],
  ])("T-04: warn of %s, which exposes its argument", (rule, message) => {
    expect(about(rule)).toContain(`It hands over: `);
    expect(about(rule)).toContain(message);
    expect(
      evaluatePermission(
        "Bash",
        { command: `${rule.slice(5).replace(/:?\s?\*\)/, "")} x` },
        "default",
        { allow: [rule] },
      ),
    ).toBe("auto");
  });

  it.each(["Bash(npx tsc *)", "Bash(pnpm exec tsc *)", "Bash(docker ps *)", "Bash(pnpm dlx)"])(
    "do not concern %s",
    (rule) => expect(about(rule)).not.toContain("hands over"),
  );

  it.each([
    ["bash(rm *)", "the built-in one is Bash"],
    ["READ", "the built-in one is Read"],
    ["webFetch(domain:a.test)", "the built-in one is WebFetch"],
    ["a.b(x)", "no tool can have that name"],
    ["mcp:server", "no tool can have that name"],
    ['Bash(git commit -m "a b" *)', "a text in quotes fits nothing"],
    ["WebFetch(example.com)", "WebFetch(domain:example.com) names a host"],
    ["WebFetch(domain:example.com/a)", "fits none"],
  ])("warn of %s, which matches no call, for allow and deny", (rule, message) => {
    expect(about(rule)).toContain(message);
    expect(about(rule, "deny")).toContain(message);
  });

  it.each([
    "Bash(rm *)",
    "Agent",
    "Deploy(x)",
    "WebFetch(domain:*.a.test)",
    "WebFetch(https://a.test/*)",
  ])("do not concern %s, which may match one", (rule) => expect(about(rule, "deny")).toBe(""));

  it("say that a search which begins above includes its subdirectories", () => {
    expect(about("Glob(.agents/**)", "deny")).toContain("Read(.agents/**) hides them");
    expect(about("Grep(src/**)", "deny")).toContain("where a search starts");
    expect(about("Glob", "deny")).toBe("");
  });

  it("name rules that deny less than they seem to, with their layer", () => {
    expect(about("Bash(git push)", "deny")).toContain("nothing with more words");
    expect(about("Bash(ls; rm *)", "deny")).toContain("single commands");
    for (const rule of [
      "Bash(curl *)",
      "Bash(curl)",
      "Bash( curl )",
      "Bash",
      "Read(a b)",
      "Read(a|b)",
    ])
      expect(about(rule, "deny")).toBe("");
    expect(about("Bash(", "deny")).toBe("");
    expect(permissionWarnings({ allow: ["Bash", "Read"] })).toEqual([
      { rule: "Bash", kind: "allow", message: "It allows every command." },
    ]);
    const layers = [{ name: "project", lists: { allow: ["Bash"] } }];
    expect(permissionWarnings({ layers })).toMatchObject([
      { rule: "Bash", kind: "allow", layer: "project" },
    ]);
  });
});

describe("a rule with a colon", () => {
  const decide = (rule: string, command: string, kind: "allow" | "deny"): string =>
    evaluatePermission("Bash", { command }, kind === "allow" ? "default" : "bypassPermissions", {
      [kind]: [rule],
    });

  it.each([
    ["Bash(rm:*)", "rm -rf build"],
    ["Bash(rm:*)", "rm"],
    ["Bash(rm:*)", "sudo rm x"],
    ["Bash(git push:*)", "git push --force"],
    ["Bash(npm run deploy:*)", "npm run deploy:prod"],
    ["Bash(npm run deploy:*)", "npm run deploy prod"],
  ])("%s forbids %j", (rule, command) => expect(decide(rule, command, "deny")).toBe("deny"));

  it.each([
    ["Bash(npm run test:*)", "npm run test"],
    ["Bash(npm run test:*)", "npm run test -- --watch"],
    ["Bash(git log:*)", "git log --oneline"],
  ])("%s allows %j", (rule, command) => expect(decide(rule, command, "allow")).toBe("auto"));

  it.each([
    ["Bash(npm run test:*)", "npm run tests"],
    ["Bash(npm run test:*)", "npm run test:unit"],
    ["Bash(npm run test:*)", "npm run test; rm x"],
    ["Bash(rm:*)", "rmdir x"],
  ])("%s does not allow %j", (rule, command) =>
    expect(decide(rule, command, "allow")).toBe("approve"),
  );
});

describe("rules for addresses", () => {
  const decide = (url: string, rule: string, kind: "allow" | "deny" = "allow"): string =>
    evaluatePermission("WebFetch", { url }, "default", { [kind]: [rule] });

  it("A13: are matched by host, label by label", () => {
    expect(decide("https://example.com/a", "WebFetch(domain:example.com)")).toBe("auto");
    expect(decide("https://EXAMPLE.com./a", "WebFetch(domain:example.com)")).toBe("auto");
    for (const url of [
      "https://example.com.evil.test",
      "https://evil.test/example.com",
      "https://evilexample.com",
      "https://example.com@evil.test",
      "https://a.example.com",
      "ftp://example.com",
      "example.com",
      "https://evil.test#example.com",
      "https://evil.test\\@example.com",
    ])
      expect([url, decide(url, "WebFetch(domain:example.com)")]).toEqual([url, "approve"]);
  });

  it("2.1.172: match any subdomain by a star, also to deny", () => {
    expect(decide("https://a.b.example.com", "WebFetch(domain:*.example.com)")).toBe("auto");
    expect(decide("https://example.com", "WebFetch(domain:*.example.com)")).toBe("approve");
    expect(decide("https://notexample.com", "WebFetch(domain:*.example.com)")).toBe("approve");
    expect(decide("https://a.example.com", "WebFetch(domain:*.example.com)", "deny")).toBe("deny");
    expect(decide("no address", "WebFetch(domain:example.com)", "deny")).toBe("deny");
  });

  it("are suggested for the host", () => {
    expect(suggestPattern("WebFetch", { url: "https://Example.com/a?b=*" })).toBe(
      "WebFetch(domain:example.com)",
    );
    expect(suggestPattern("WebFetch", { url: "no address" })).toBe("WebFetch(no address)");
    expect(suggestPattern("WebSearch", { query: "https://a.test" })).toBe(
      "WebSearch(https://a.test)",
    );
    expect(suggestPattern("WebSearch", { query: "/a " })).toBe("WebSearch(/a )");
    expect(suggestPattern("Bash", { command: " ls " })).toBe("Bash(ls)");
    expect(suggestPattern("Edit", { filePath: "a" })).toBe("Edit(a)");
  });
});

it("S-055: every session may read the instruction files, and nothing through them", () => {
  const context = { cwd: "/workspace", roots: ["/workspace"] };
  const decide = (tool: string, args: object): string =>
    explainPermission(tool, { ...args }, "default", { allow: DEFAULT_ALLOW_PATTERNS }, context)
      .step;
  expect(DEFAULT_ALLOW_PATTERNS).toHaveLength(6);
  for (const directory of [".agents", ".claude", ".robota"]) {
    expect(decide("Read", { filePath: `${directory}/a.md` })).toBe("allow");
    expect(decide("Read", { filePath: `/workspace/${directory}/deep/a.md` })).toBe("allow");
    expect(decide("Glob", { pattern: `${directory}/**` })).toBe("allow");
    expect(decide("Read", { filePath: `${directory}/../../etc/passwd` })).toBe("protected");
    expect(decide("Read", { filePath: `${directory}/.env` })).toBe("protected");
    expect(decide("Glob", { pattern: `${directory}/../../*` })).toBe("protected");
  }
});

it("has the modes by name", () => {
  expect(() => requirePermissionMode("plan")).not.toThrow();
  expect(() => requirePermissionMode("full")).toThrow(ValidationError);
});

it("S-050: maps levels of trust to modes", () => {
  expect(TRUST_TO_MODE).toEqual({ safe: "plan", moderate: "default", full: "acceptEdits" });
});

it("T-24: shows invisible text visibly", () => {
  expect(visibleText("ls \u202e\u200b\u001b[2K\0x\u00a0y\ue000")).toBe(
    "ls \\u{202e}\\u{200b}\\u{1b}[2K\\u{0}x\\u{a0}y\\u{e000}",
  );
  expect(visibleText("plain text, grüße, 日本語 😀\n\tx")).toBe(
    "plain text, grüße, 日本語 😀\n\tx",
  );
  expect(visibleText("a\nb\tc", { singleLine: true })).toBe("a\\nb\\tc");
  expect(visibleText("\ud800")).toBe("\\u{d800}");
});
