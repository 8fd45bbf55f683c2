import { explainPermission, type PermissionMode } from "@robota/runtime";
import { type PermissionContext } from "@robota/runtime/permissions";
import { describe, expect, it } from "vitest";
import { isReadOnly } from "../../../packages/runtime/src/permissions/read-only/read-only-commands.ts";

const WORKSPACE: PermissionContext = {
  cwd: "/workspace",
  roots: ["/workspace", "/library"],
  home: "/home/user",
  isReadOnly,
};

interface Given {
  allow?: readonly string[];
  deny?: readonly string[];
  mode?: PermissionMode;
  context?: PermissionContext;
}

/** The decision, and the rules that made it. */
const judge = (
  command: string,
  { allow = [], deny = [], mode = "default", context = WORKSPACE }: Given = {},
): string => {
  const lists = { allow: [...allow], deny: [...deny] };
  const { decision, rule } = explainPermission("Bash", { command }, mode, lists, context);
  return rule === undefined ? decision : `${decision} by ${rule}`;
};

describe("a redirection", () => {
  it.each([
    ["default", "ls > out.txt", "approve"],
    ["acceptEdits", "ls > out.txt", "auto"],
    ["acceptEdits", "ls >> src/a/out.txt", "auto"],
    ["acceptEdits", "ls > a-b!.txt", "approve"],
    ["acceptEdits", "ls > a-b~.txt", "auto"],
    ["acceptEdits", "ls > /library/out.txt", "auto"],
    ["acceptEdits", "ls > /elsewhere/out.txt", "approve"],
    ["acceptEdits", "ls > .env", "approve"],
    ["acceptEdits", "ls > .git/config", "approve"],
    ["acceptEdits", "ls > a.txt > /elsewhere/b.txt", "approve"],
    ["acceptEdits", "npm test > out.txt", "approve"],
    ["default", "ls > /dev/null", "auto"],
    ["default", "ls 2> /dev/stderr", "auto"],
    ["default", "ls > /dev/nullx", "approve"],
    ["default", "wc -l < src/a.ts", "auto"],
    ["default", "wc -l < /elsewhere/a", "approve"],
    ["default", "wc -l < .env", "approve"],
  ] as const)("in the mode %s of %j: %s", (mode, command, decision) => {
    expect(judge(command, { mode })).toBe(decision);
  });

  it.each([
    ["ls > out/a", ["Write(/out/**)"], "auto by Write(/out/**)"],
    ["ls > out/a", ["Edit(/out/**)"], "auto by Edit(/out/**)"],
    ["ls > out/a", ["Read(/out/**)"], "approve"],
    ["ls > src/a", ["Write(/out/**)"], "approve"],
    ["wc < /etc/hosts", ["Read(//etc/hosts)"], "auto by Read(//etc/hosts)"],
    ["wc < /etc/hosts", ["Write(//etc/hosts)"], "approve"],
    ["make x > out/a", ["Bash(make *)", "Write(/out/**)"], "auto by Bash(make *), Write(/out/**)"],
    ["make x > out/a", ["Bash(make *)"], "approve"],
    ["make x && make y", ["Bash(make *)"], "auto by Bash(make *)"],
  ] as const)("%j with %j: %s", (command, allow, decision) => {
    expect(judge(command, { allow })).toBe(decision);
  });

  it("needs no rule when nothing needs approval, also after a network result", () => {
    const context = { ...WORKSPACE, untrusted: true };
    const given = { mode: "bypassPermissions", context } as const;
    const allow = ["Bash(curl https://a.example/)"];
    expect(judge("curl https://a.example/ > page.html", { ...given, allow })).toBe(
      "auto by Bash(curl https://a.example/)",
    );
    expect(judge("curl https://b.example/ > page.html", { ...given, allow })).toBe("approve");
  });
});

describe("a line that a rule spells out", () => {
  it.each([
    ["eval x", ["Bash"], "auto by Bash"],
    ["eval x", ["Bash(*)"], "auto by Bash(*)"],
    ["eval x", ["B*(**)"], "auto by B*(**)"],
    ["eval x", ["Bash(ls)", "Bash(eval x)"], "auto by Bash(eval x)"],
    [" eval x ", ["Bash( eval x)"], "auto by Bash( eval x)"],
    ["eval xy", ["Bash(eval x)"], "approve"],
    ["eval x*", ["Bash(eval x*)"], "approve"],
    ["make a '|' sh x", ["Bash(make a | sh x)"], "approve"],
    ["make '$(x)'", ["Bash(make $(x))"], "approve"],
    ["time make x", ["Bash(make *)"], "auto by Bash(make *)"],
    ["time make x", ["Bash(time *)"], "approve"],
    ["CI=1 make x", ["Bash(make *)"], "auto by Bash(make *)"],
  ] as const)("%j with %j: %s", (command, allow, decision) => {
    expect(judge(command, { allow })).toBe(decision);
  });

  it("matches nothing without a line", () => {
    const lists = { allow: ["Bash(ls *)"] };
    expect(explainPermission("Bash", {}, "default", lists, WORKSPACE).decision).toBe("approve");
    const exact = { allow: ["Bash(ls)"] };
    expect(explainPermission("Bash", {}, "default", exact, WORKSPACE).decision).toBe("approve");
    expect(explainPermission("Bash", { command: " " }, "default", lists).decision).toBe("approve");
  });
});

describe("a read-only line", () => {
  it.each([
    ["ls", "auto"],
    ["cd src && ls", "auto"],
    ["cd /library && ls", "auto"],
    ["cd /elsewhere && ls", "approve"],
    ["cd src && ls && cd /elsewhere", "approve"],
    ["ls | cat -", "auto"],
    ["git status", "auto"],
    ["cd src && ls -l", "auto"],
    ["cd src && git status", "approve"],
    ["git -C src status", "approve"],
    ["ls && git -C src status", "approve"],
    ["rg x src", "auto"],
    ["rg x .aws", "approve"],
  ])("%j: %s", (command, decision) => {
    expect(judge(command)).toBe(decision);
  });

  it("needs approval when the shell has left the workspace", () => {
    expect(judge("ls", { context: { ...WORKSPACE, directory: "/elsewhere" } })).toBe("approve");
    expect(judge("ls", { context: { ...WORKSPACE, directory: "/library/a" } })).toBe("auto");
  });

  it("needs approval next to a command that a rule spells out as it does alone", () => {
    const allow = ["Bash(npm test)"];
    expect(judge("npm test && ls", { allow })).toBe("auto by Bash(npm test)");
    expect(judge("npm test && cd src && git status", { allow })).toBe("approve");
    expect(judge("npm test && cat .env", { allow })).toBe("approve");
    expect(judge("cd /elsewhere && ls", { allow: ["Bash(cd *)"] })).toBe("approve");
    const git = "git -C src status";
    expect(judge(`ls && ${git}`, { allow: [`Bash(${git})`] })).toBe(`auto by Bash(${git})`);
    expect(judge("npm test && cat /elsewhere/a", { allow })).toBe("approve");
  });

  it("does not search everything while a rule denies reading something", () => {
    const deny = ["Read(/keys/**)"];
    expect(judge("rg x src", { deny })).toBe("approve");
    expect(judge("ls src", { deny })).toBe("auto");
  });

  it("needs approval for an unknown home", () => {
    const { home: _, ...homeless } = WORKSPACE;
    expect(judge("cd ~ && ls", { context: homeless })).toBe("approve");
    expect(judge("cat ~/a", { context: homeless })).toBe("approve");
    const given = { deny: ["Read(/undefined/a)"], mode: "bypassPermissions" } as const;
    expect(judge("cat ~/a", { ...given, context: homeless })).toBe("auto");
  });

  it("knows no home but the person's own", () => {
    const others = ["Read(//home/userx/a)", "Read(//home/usera~/x)"];
    for (const command of ["cat ~x/a", "cat ~a~/x"])
      expect(judge(command, { deny: others, mode: "bypassPermissions" })).toBe("auto");
  });

  it("needs approval when read-only commands are off, and without a known workspace", () => {
    const { isReadOnly: _, ...blind } = WORKSPACE;
    expect(judge("ls", { context: blind })).toBe("approve");
    expect(judge("ls", { context: { isReadOnly } })).toBe("approve");
    expect(judge("ls > a", { allow: ["Bash(ls)"], context: {}, mode: "acceptEdits" })).toBe(
      "approve",
    );
    expect(judge("ls", { mode: "plan" })).toBe("deny");
  });
});
