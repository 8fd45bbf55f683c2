import { InteractiveSession } from "@robota/runtime";
import type { Command } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { echo, echoCall } from "../../support/support.ts";

const audit: Command = {
  name: "my-plugin:audit",
  description: "Looks closely",
  source: "plugin",
  argumentHint: "<file>",
  complete: (_session, args) => (args === "" ? [{ value: "a.ts", description: "A file" }] : []),
};

function open(): InteractiveSession {
  return new InteractiveSession({
    platform: memoryPlatform(),
    provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "done" }]),
    tools: [echo],
    permissionHandler: () => Promise.resolve("allow-session" as const),
    commandSources: [{ name: "test", getCommands: () => [audit] }],
  });
}

/** The values offered, and the text after the first one is taken. */
async function offered(session: InteractiveSession, text: string, cursor = text.length) {
  const found = await session.completeCommand(text, cursor);
  const [first] = found;
  return {
    values: found.map(({ value }) => value),
    taken: first && text.slice(0, first.start) + first.value + text.slice(first.end),
  };
}

describe("the completion of a command", () => {
  it("offers commands by prefix in any case, with descriptions and arguments", async () => {
    const session = open();
    expect((await offered(session, "/mod")).values).toEqual(["/mode", "/model"]);
    expect((await offered(session, "/MOD")).values).toEqual(["/mode", "/model"]);
    const all = await session.completeCommand("/");
    expect(all.map(({ value }) => value)).toEqual(
      session.listCommands().map(({ name }) => `/${name}`),
    );
    expect((await session.completeCommand("/comp"))[0]).toEqual({
      value: "/compact",
      description: "Compress context window (optional focus instructions)",
      argumentHint: "[focus]",
      start: 0,
      end: 5,
    });
    await session.shutdown();
  });

  it("resolves an alias and a plugin's short name", async () => {
    const session = open();
    expect((await offered(session, "/quit")).taken).toBe("/exit");
    expect((await offered(session, "/aud")).taken).toBe("/my-plugin:audit");
    await session.shutdown();
  });

  it("offers subcommands and values for the arguments", async () => {
    const session = open();
    expect((await offered(session, "/mode ")).values).toEqual([
      "plan",
      "default",
      "acceptEdits",
      "bypassPermissions",
    ]);
    expect(await offered(session, "/mode PL")).toEqual({ values: ["plan"], taken: "/mode plan" });
    expect((await offered(session, "/model claude-haiku-4-5")).values).toContain(
      "claude-haiku-4-5",
    );
    expect((await offered(session, "/my-plugin:audit a")).taken).toBe("/my-plugin:audit a.ts");
    expect((await offered(session, "/my-plugin:audit a.ts ")).values).toEqual([]);
    expect((await offered(session, "/permissions re")).taken).toBe("/permissions revoke");
    expect((await offered(session, "/permissions revoke ")).values).toEqual([]);
    await session.submit("go");
    expect((await offered(session, "/permissions revoke ")).values).toEqual(
      session.getSessionAllowedTools(),
    );
    expect((await offered(session, "/permissions revoke echo ")).values).toEqual([]);
    expect(await session.completeCommand("/rewind ")).toEqual([
      { value: "1", description: "go", start: 8, end: 8 },
    ]);
    expect((await offered(session, "/rewind 1 ")).values).toEqual([
      "both",
      "conversation",
      "files",
    ]);
    expect((await offered(session, "/rewind 1 files ")).values).toEqual([]);
    await session.shutdown();
  });

  it("completes the word at the cursor, and keeps the text behind it", async () => {
    const session = open();
    expect(await offered(session, "/comp the names", 5)).toEqual({
      values: ["/compact"],
      taken: "/compact the names",
    });
    expect((await offered(session, "/mode pla now", 8)).taken).toBe("/mode plan now");
    await session.shutdown();
  });

  it("offers nothing for other texts", async () => {
    const session = open();
    for (const text of ["", "hello", "a /mode", "/nothing x", "/etc/hosts", "/mode plan x"])
      expect(await session.completeCommand(text), text).toEqual([]);
    await session.shutdown();
  });
});
