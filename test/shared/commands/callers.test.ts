import { InteractiveSession } from "@robota/runtime";
import { type Command, CommandRefusedError } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";

function open(...commands: Command[]): InteractiveSession {
  return new InteractiveSession({
    platform: memoryPlatform(),
    provider: new ScriptedProvider([]),
    commandSources: [{ name: "test", getCommands: () => commands }],
  });
}

describe("T-38: the callers of a command", () => {
  const remote = (...scopes: ("read" | "write" | "privilege")[]) =>
    ({ kind: "remote", scopes }) as const;
  const calls = [
    ["mode", "bypassPermissions"],
    ["mode", "plan"],
    ["permissions", "revoke Bash(x)"],
  ] as const;

  it("a model never changes what the agent may do, whatever a command declares", async () => {
    const greedy: Command = {
      name: "greedy",
      description: "Claims that models may run it",
      source: "test",
      scope: "privilege",
      callers: ["model", "person", "remote"],
      execute: () => ({ message: "did it", success: true }),
    };
    const session = open(greedy);
    for (const [name, args] of [...calls, ["greedy", ""]] as const) {
      const refusal = session.executeCommand(name, args, { caller: { kind: "model" } });
      await expect(refusal, name).rejects.toThrow(CommandRefusedError);
      await expect(refusal).rejects.toMatchObject({
        code: "COMMAND_REFUSED",
        hint: expect.stringContaining("person") as string,
      });
    }
    expect(session.getPermissionMode()).toBe("default");
    expect(await session.executeCommand("greedy")).toMatchObject({ success: true });
    await session.shutdown();
  });

  it("a model runs only commands that allow it", async () => {
    const lookup: Command = {
      name: "lookup",
      description: "For models too",
      source: "test",
      scope: "read",
      callers: ["person", "model"],
      execute: () => ({ message: "did it", success: true }),
    };
    const session = open(lookup);
    const caller = { kind: "model" } as const;
    expect(await session.executeCommand("lookup", "", { caller })).toMatchObject({ success: true });
    for (const { name } of session.listCommands().filter(({ name }) => name !== "lookup"))
      await expect(session.executeCommand(name, "", { caller }), name).rejects.toThrow(
        CommandRefusedError,
      );
    await session.shutdown();
  });

  it("remote callers run only commands of their scopes", async () => {
    const session = open();
    for (const [name, args] of calls)
      await expect(
        session.executeCommand(name, args, { caller: remote("read", "write") }),
      ).rejects.toMatchObject({
        code: "COMMAND_REFUSED",
        command: expect.stringContaining(name) as string,
      });
    await expect(
      session.executeCommand("rename", "x", { caller: remote("read") }),
    ).rejects.toMatchObject({ hint: expect.stringContaining("read") as string });
    await expect(
      session.executeCommand("fork", "", { caller: remote("read", "write", "privilege") }),
    ).rejects.toThrow("can't be run by a remote caller");
    const read = { caller: remote("read") };
    expect(await session.executeCommand("mode", "", read)).toMatchObject({ success: true });
    const help = await session.executeCommand("help", "", read);
    expect(help?.message).toContain("/context");
    expect(help?.message).not.toContain("/rename");
    const all = { caller: remote("privilege") };
    expect(await session.executeCommand("mode", "plan", all)).toMatchObject({ success: true });
    await session.shutdown();
  });
});
