import { withHost } from "#host";
import { createFunctionTool, InteractiveSession, type Platform } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { echo, echoCall } from "../../../support/support.ts";

let calls = 0;

/** A session whose person gives this answer to everything; resolves to what it was asked. */
async function asked(
  platform: Platform,
  cwd: string,
  answer: { allow: boolean; scope?: "once" | "turn" | "session" | "workspace" },
  turns: number,
): Promise<number> {
  const script = Array.from({ length: turns }, () => [
    { toolCalls: [echoCall("same", `call-${++calls}`), echoCall("same", `call-${++calls}`)] },
    { text: "ok" },
  ]).flat();
  const session = new InteractiveSession({
    platform,
    cwd,
    provider: new ScriptedProvider(script),
    tools: [echo],
    permissions: { layers: [{ name: "user", lists: { deny: ["Bash(rm *)"] } }] },
  });
  let count = 0;
  session.on("permission_request", ({ id }) => {
    count += 1;
    void session.resolvePermission(id, answer);
  });
  for (let turn = 0; turn < turns; turn++) await session.submit("go");
  await session.shutdown();
  return count;
}

it("a grant lasts once, for the turn, for the session or for the workspace", () =>
  withHost(async ({ platform, cwd }) => {
    expect(await asked(platform, cwd, { allow: true, scope: "once" }, 2)).toBe(4);
    expect(await asked(platform, cwd, { allow: true, scope: "turn" }, 2)).toBe(2);
    expect(await asked(platform, cwd, { allow: true, scope: "session" }, 2)).toBe(1);
    expect(await asked(platform, cwd, { allow: true, scope: "workspace" }, 1)).toBe(1);
    expect(await asked(platform, cwd, { allow: true, scope: "once" }, 1)).toBe(0);
    await platform.fs.mkdir(`${cwd}/other`);
    expect(await asked(platform, `${cwd}/other`, { allow: true, scope: "once" }, 1)).toBe(2);

    const session = new InteractiveSession({
      platform,
      cwd,
      provider: new ScriptedProvider([]),
      tools: [echo],
    });
    await session.ready;
    expect(session.explain("echo", { text: "same" })).toMatchObject({
      decision: "auto",
      layer: "workspace",
      rule: "echo",
    });
    expect(await session.getPermissionRules()).toContainEqual({
      kind: "allow",
      rule: "echo",
      layer: "workspace",
    });
    await session.revokePermission("echo");
    expect(session.explain("echo", { text: "same" }).decision).toBe("approve");
    expect((await session.getPermissionRules()).map(({ rule }) => rule)).not.toContain("echo");
    await session.shutdown();
    expect(await asked(platform, cwd, { allow: true, scope: "once" }, 1)).toBe(2);
  }));

it("rules name their layer, and those of every session are one of them", () =>
  withHost(async ({ platform, cwd }) => {
    const session = new InteractiveSession({
      platform,
      cwd,
      provider: new ScriptedProvider([]),
      permissions: {
        allow: ["Bash(ls *)"],
        layers: [{ name: "user", lists: { deny: ["Bash(rm *)"] } }],
      },
    });
    await session.ready;
    const rules = await session.getPermissionRules();
    expect(rules[0]).toEqual({ kind: "deny", rule: "Bash(rm *)", layer: "user" });
    expect(rules).toContainEqual({ kind: "allow", rule: "Bash(ls *)", layer: "program" });
    expect(session.explain("Bash", { command: "ls && rm a" })).toMatchObject({
      decision: "deny",
      rule: "Bash(rm *)",
      layer: "user",
      command: "rm a",
    });
    expect(session.explain("Read", { filePath: `${cwd}/.robota/notes.md` })).toMatchObject({
      decision: "auto",
      layer: "default",
    });
    await session.shutdown();
  }));

it("tools receive the session's rules, also for addresses", () =>
  withHost(async ({ platform, cwd }) => {
    const answers: (string | undefined)[] = [];
    const curious = createFunctionTool(
      "curious",
      "Asks",
      { type: "object" },
      (_args, { rules }) => {
        answers.push(rules?.refusesFile(`${cwd}/secret.txt`, "read"));
        answers.push(rules?.refusesFile(`${cwd}/plain.txt`, "read"));
        answers.push(rules?.refusesCommand(["rm", "-rf", "x"], cwd));
        answers.push(rules?.refusesAddress?.("https://bad.example/x"));
        answers.push(rules?.refusesAddress?.("https://good.example/x"));
        return "ok";
      },
    );
    const session = new InteractiveSession({
      platform,
      cwd,
      provider: new ScriptedProvider([
        { toolCalls: [{ id: "c", name: "curious", args: {} }] },
        { text: "ok" },
      ]),
      tools: [curious],
      permissionMode: "bypassPermissions",
      permissions: { deny: ["Read(/secret.txt)", "Bash(rm *)", "WebFetch(domain:bad.example)"] },
    });
    await session.submit("go");
    expect(answers.map((answer) => answer !== undefined)).toEqual([true, false, true, true, false]);
    await session.shutdown();
  }));

it("the command explains a call of a session that has called no tool", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([]);
    const session = new InteractiveSession({ platform, cwd, provider });
    const explained = await session.executeCommand("permissions", "explain Bash(rm x)");
    expect(explained?.data).toMatchObject({ decision: "approve", step: "mode" });
    await session.shutdown();
  }));
