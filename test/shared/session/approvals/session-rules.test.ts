import {
  bashTool,
  createFunctionTool,
  InteractiveSession,
  Session,
  type SessionOptions,
  ValidationError,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { settingsOf } from "../../../support/settings-support.ts";

describe("read-only commands", () => {
  /** The outcome of `ls` in a session whose person denies every request. */
  const looking = async (options: Pick<SessionOptions, "readOnlyCommands">): Promise<string[]> => {
    const call = { id: "1", name: "Bash", args: { command: "ls" } };
    await using session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ toolCalls: [call] }, { text: "ok" }]),
      tools: [bashTool],
      permissionHandler: () => false,
      ...options,
    });
    return (await session.submit("go")).toolSummaries.map(({ result }) => result);
  };

  it("run without approval, unless readOnlyCommands leaves them to the rules", async () => {
    expect(await looking({})).toEqual(["success"]);
    expect(await looking({ readOnlyCommands: true })).toEqual(["success"]);
    expect(await looking({ readOnlyCommands: false })).toEqual(["denied"]);
  });
});

describe("a rule that matches no call", () => {
  const open = (options: Partial<SessionOptions>): Session =>
    new Session({ provider: new ScriptedProvider([]), ...options });

  it("is refused when a program passes it", () => {
    for (const kind of ["allow", "ask", "deny"]) {
      const permissions = { [kind]: ["bash(rm *)"] };
      expect(() => open({ permissions })).toThrow(ValidationError);
      expect(() => open({ permissions })).toThrow("no tool is called bash");
      const hint = expect.stringContaining("Write Bash(rm *).");
      expect(() => open({ permissions })).toThrow(expect.objectContaining({ hint }));
    }
    expect(() => open({ permissions: { deny: ["Bash(rm *)", "Deploy(x)"] } })).not.toThrow();
    const tools = [createFunctionTool("read", "Reads a meter.", { type: "object" }, () => "7")];
    expect(() => open({ permissions: { deny: ["read"] }, tools })).not.toThrow();
  });

  it("is a warning when a person wrote it into a file", async () => {
    const permissions = { deny: ["bash(rm *)"], allow: ["Bash(npx *)", "Bash(npm test)"] };
    const { warnings } = await settingsOf({ "~/.robota/settings.json": { permissions } });
    expect(warnings).toEqual([
      {
        layer: "~/.robota/settings.json",
        setting: "permissions.deny",
        message: expect.stringContaining("bash(rm *): It matches no call"),
      },
      {
        layer: "~/.robota/settings.json",
        setting: "permissions.allow",
        message: expect.stringContaining("Bash(npx *): It hands over: npx"),
      },
    ]);
  });
});
