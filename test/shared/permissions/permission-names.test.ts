import { evaluatePermission, type PermissionLists } from "@robota/runtime";
import { accessRules, type PermissionContext } from "@robota/runtime/permissions";
import { describe, expect, it } from "vitest";
import { isReadOnly } from "../../../packages/runtime/src/permissions/read-only/read-only-commands.ts";
import { expectWithin } from "../../support/time/own-time.ts";

function contextFor(cwd: string, home = "/home/nobody"): PermissionContext {
  return { cwd, roots: [cwd], home, isReadOnly };
}

const CONTEXT = contextFor("/workspace", "/home/user");
const decide = (
  tool: string,
  args: object,
  lists: PermissionLists = {},
  mode = "acceptEdits" as const,
): string => evaluatePermission(tool, { ...args }, mode, lists, CONTEXT);

describe("protected names", () => {
  const names = [
    ".robota/settings.json",
    ".claude/settings.json",
    ".claude",
    ".git/hooks/pre-commit",
    ".git/config",
    ".git",
    "sub/.git/config",
    ".github/workflows/ci.yml",
    ".github/actions/a/action.yml",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    ".bashrc",
    ".zshrc",
    ".profile",
    ".envrc",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".npmrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".gitmodules",
    ".gitconfig",
    ".husky/pre-push",
    ".mcp.json",
    ".pre-commit-config.yaml",
    ".devcontainer/devcontainer.json",
    "a.code-workspace",
    ".cargo/config.toml",
    // A34, T-10: other cases and forms of letters, and what other file systems take for the same.
    ".GIT/hooks/x",
    ".Git/config",
    ".cLaude/x",
    ".CLAUDE/settings.json",
    ".ROBOTA/x",
    ".git./config",
    ".git /config",
    "git~1/config",
    ".claude\u200b/x",
    ".\u2060git/config",
    ".g\u0131t/../.git/config",
    ".robot\uff41/x",
    ".\uff47it/config",
    ".vs\u017fcode/x/../../.vscode/x",
    ".NPMRC",
    "JENKINSFILE",
    ".hu\u017fky/x",
  ];

  it.each(names)("T-10, T-26: %j needs approval in any mode and under any rule", (filePath) => {
    for (const tool of ["Write", "Edit"]) {
      for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
        const lists = { allow: [tool, `${tool}(/**)`] };
        expect(evaluatePermission(tool, { filePath }, mode, lists, CONTEXT)).toBe("approve");
      }
    }
  });

  it.each([
    ".gitignore",
    ".github/README.md",
    "git/config",
    "src/claude.ts",
    "env.ts",
    ".gitattributes",
    "robota/x",
  ])("%j is an ordinary name", (filePath) => expect(decide("Write", { filePath })).toBe("auto"));
});

describe("files with secrets", () => {
  const secrets = [
    ".env",
    ".env.local",
    ".env.production",
    "config/.env",
    "id_rsa",
    ".ssh/config",
    ".aws/credentials",
    ".npmrc",
    ".netrc",
    ".git-credentials",
    ".pypirc",
    "server.key",
    "cert.pem",
    "store.p12",
    ".docker/config.json",
    ".kube/config",
    ".claude/.credentials.json",
    "login.keychain-db",
    "terraform.tfstate",
    ".ENV",
    ".\uff45nv",
    ".env.",
  ];

  it.each(secrets)("H3: reading %j needs approval, unless a rule names it", (filePath) => {
    expect(decide("Read", { filePath })).toBe("approve");
    expect(decide("Read", { filePath }, { allow: ["Read", "Read(/**)"] })).toBe("approve");
    expect(decide("Read", { filePath }, { allow: [`Read(${filePath})`] })).toBe("auto");
    expect(decide("Grep", { pattern: "x", path: filePath })).toBe("approve");
  });

  it.each([
    ".env.example",
    ".env.sample",
    "id_rsa.pub",
    "src/env.ts",
    "key.ts",
    "environment.json",
  ])("%j is an ordinary file", (filePath) => expect(decide("Read", { filePath })).toBe("auto"));
});

describe("the base of path rules", () => {
  const allows = (rule: string, filePath: string): boolean =>
    evaluatePermission("Edit", { filePath }, "default", { allow: [rule] }, CONTEXT) === "auto";

  it("is the workspace's root for /, the filesystem's for //, the home for ~/, and otherwise the working directory", () => {
    expect(allows("Edit(/src/**)", "/workspace/src/a")).toBe(true);
    expect(allows("Edit(/src/**)", "/src/a")).toBe(true);
    expect(allows("Edit(//src/**)", "/src/a")).toBe(true);
    expect(allows("Edit(//src/**)", "/workspace/src/a")).toBe(false);
    expect(allows("Edit(~/notes/**)", "/home/user/notes/a")).toBe(true);
    expect(allows("Edit(~/notes/**)", "/workspace/notes/a")).toBe(false);
    expect(allows("Edit(src/**)", "src/a")).toBe(true);
  });

  it("2.1.214: is anchored: Edit(src/**) does not match x/src/", () => {
    expect(allows("Edit(src/**)", "x/src/a")).toBe(false);
    expect(allows("Edit(/src/**)", "x/src/a")).toBe(false);
    expect(allows("Edit(**/src/**)", "x/src/a")).toBe(true);
  });

  it("does not match a workspace that happens to have the rule's name", () => {
    const context = contextFor("/app");
    const edit = (filePath: string): string =>
      evaluatePermission("Edit", { filePath }, "default", { allow: ["Edit(/app/**)"] }, context);
    expect(edit("/app/app/page.ts")).toBe("auto");
    expect(edit("/app/package.json")).toBe("approve");
  });

  it("2.1.162: ignores case for rules that deny", () => {
    expect(decide("Edit", { filePath: "SECRET/a" }, { deny: ["Edit(/secret/**)"] })).toBe("deny");
    expect(decide("Edit", { filePath: "secret\u200b/a" }, { deny: ["Edit(/secret/**)"] })).toBe(
      "deny",
    );
  });

  it("H24: lets no dots out of a directory", () => {
    const lists = { allow: ["Read(.claude/**)", "Glob(.claude/**)"] };
    expect(decide("Read", { filePath: ".claude/../../etc/passwd" }, lists)).toBe("approve");
    expect(decide("Read", { filePath: ".claude/.credentials.json" }, lists)).toBe("approve");
    expect(decide("Glob", { pattern: ".claude/../../**" }, lists)).toBe("approve");
    expect(decide("Read", { filePath: ".claude/settings.json" }, lists)).toBe("auto");
  });
});

describe("searches", () => {
  it.each([
    [{ pattern: "/etc/*" }],
    [{ pattern: "../**" }],
    [{ pattern: "src/../../*" }],
    [{ pattern: "**/../../x" }],
    [{ pattern: "{..,a}/*" }],
    [{ pattern: "*", path: "/etc" }],
    [{ pattern: "*", path: ".." }],
    [{ pattern: "a/{b,../../c}/*" }],
  ])("that leave the workspace need approval: %j", (args) => {
    expect(decide("Glob", args)).toBe("approve");
  });

  it("2.1.162: obey rules for Read", () => {
    const lists = { deny: ["Read(/secret/**)"] };
    expect(decide("Grep", { pattern: "x", path: "secret" }, lists)).toBe("deny");
    expect(decide("Glob", { pattern: "secret/*.txt" }, lists)).toBe("deny");
    expect(decide("Grep", { pattern: "x", path: "src" }, lists)).toBe("auto");
  });
});

describe("rules for single files and commands", () => {
  const rules = accessRules({
    cwd: "/workspace",
    home: "/home/user",
    lists: {
      deny: ["Read(/secret/**)", "Bash(curl *)", "Edit(/frozen/**)"],
      ask: ["Bash(git push *)"],
      allow: ["Read(.env)"],
    },
  });

  it("refuse files that rules deny or ask about, and protected and secret names", () => {
    expect(rules.refusesFile("/workspace/secret/a", "read")).toContain("Read(/secret/**)");
    expect(rules.refusesFile("/workspace/src/../secret/a", "read")).toContain("Read(/secret/**)");
    expect(rules.refusesFile("/workspace/frozen/a", "write")).toContain("Edit(/frozen/**)");
    expect(rules.refusesFile("/workspace/frozen/a", "read")).toBeUndefined();
    expect(rules.refusesFile("/workspace/.git/config", "write")).toContain("protected");
    expect(rules.refusesFile("/workspace/.git/config", "read")).toBeUndefined();
    expect(rules.refusesFile("/workspace/id_rsa", "read")).toContain("keys or passwords");
    expect(rules.refusesFile("/workspace/.env", "read")).toBeUndefined();
    expect(rules.refusesFile("/workspace/src/a", "write")).toBeUndefined();
  });

  it("refuse commands by their words, in any notation", () => {
    expect(rules.refusesCommand(["curl", "x"], "/")).toContain("Bash(curl *)");
    expect(rules.refusesCommand(["/usr/bin/curl", "x"], "/")).toContain("Bash(curl *)");
    expect(rules.refusesCommand(["git", "-C", "x", "push"], "/")).toContain("Bash(git push *)");
    expect(rules.refusesCommand(["ls"], "/")).toBeUndefined();
    expect(rules.refusesCommand([], "/")).toBeUndefined();
  });

  it("let a call use what it names and a person approved, and nothing that is denied", () => {
    const approved = accessRules({
      cwd: "/workspace",
      lists: { deny: ["Read(/secret/**)"], ask: ["Bash(git push *)"] },
      named: [
        "/workspace",
        "/workspace/.github/workflows/ci.yml",
        "/workspace/secret/a",
        "/workspace/.ssh",
      ],
      isApproved: true,
    });
    expect(approved.refusesCommand(["git", "push"], "/workspace")).toBeUndefined();
    expect(approved.refusesFile("/workspace/.github/workflows/ci.yml", "write")).toBeUndefined();
    expect(approved.refusesFile("/workspace/.ssh/config", "read")).toBeUndefined();
    expect(approved.refusesFile("/workspace/.git/hooks/pre-push", "write")).toContain("protected");
    expect(approved.refusesFile("/workspace/.env", "read")).toContain("keys or passwords");
    expect(approved.refusesFile("/workspace/secret/a", "read")).toContain("Read(/secret/**)");
  });

  it("are fast, also the thousandth time", async () => {
    const many = accessRules({
      cwd: "/workspace",
      lists: { deny: Array.from({ length: 20 }, (_, index) => `Read(/secret-${index}/**)`) },
    });
    await expectWithin(1500, () => {
      for (let index = 0; index < 5000; index++)
        many.refusesFile(`/workspace/src/${index % 200}.ts`, "read");
    });
  });
});

it("T-34: treat names of object members as ordinary names", () => {
  for (const name of ["__proto__", "constructor", "hasOwnProperty", "toString"]) {
    expect(evaluatePermission(name, { command: "x" }, "default", {}, CONTEXT)).toBe("approve");
    expect(evaluatePermission("Bash", { command: `${name} x` }, "default", {}, CONTEXT)).toBe(
      "approve",
    );
    expect(decide("Read", { filePath: name })).toBe("auto");
  }
  const inherited = Object.create({ filePath: "/workspace/a" }) as Record<string, unknown>;
  expect(
    evaluatePermission("Write", inherited, "default", { allow: ["Write(/**)"] }, CONTEXT),
  ).toBe("approve");
});
