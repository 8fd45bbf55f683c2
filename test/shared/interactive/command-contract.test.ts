import { InteractiveSession } from "@robota/runtime";
import type { CommandResult, SystemCommand, TransportAdapter } from "@robota/runtime/sessions";
import { httpTransport } from "@robota/runtime/transports";
import { ScriptedProvider } from "@robota/runtime/testing";
import type { Host } from "../../hosts/host.ts";
import { withHost } from "#host";
import { describe, expect, expectTypeOf, it } from "vitest";

/** The commands that the specification names. */
const NAMED = [
  "help",
  "clear",
  "compact",
  "mode",
  "model",
  "language",
  "cost",
  "context",
  "permissions",
  "resume",
  "rename",
  "reset",
];

function withSession(
  use: (session: InteractiveSession, host: Host) => Promise<void>,
): Promise<void> {
  return withHost(async (host) => {
    const provider = new ScriptedProvider([{ text: "ok" }, { text: "ok" }]);
    await using session = new InteractiveSession({ ...host, provider });
    await use(session, host);
  });
}

describe("the commands of a session", () => {
  it("S-223: are listed by name and description", () =>
    withSession(async (session) => {
      const commands = session.listCommands();
      expect(commands.length).toBeGreaterThan(0);
      for (const { name, description } of commands) {
        expect(name).toMatch(/^[a-z][a-z-]*$/);
        expect(description).toMatch(/\S/);
      }
      const names = commands.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }));

  it("S-224: are executed by name, and an unknown one is null", () =>
    withSession(async (session) => {
      const { sessionId } = session;
      await session.submit("Hi");
      const result = await session.executeCommand("context", "");
      expect(result).toMatchObject({ message: expect.any(String), success: true });
      const { usedTokens, maxTokens, usedPercentage } = session.getContextState();
      expect(result?.data).toMatchObject({ usedTokens, maxTokens, usedPercentage });
      expect(await session.executeCommand("mode", "plan")).toMatchObject({ success: true });
      expect(session.getPermissionMode()).toBe("plan");
      expect(await session.executeCommand("mode", "nonsense")).toMatchObject({ success: false });
      expect(await session.executeCommand("nosuch", "")).toBeNull();
      expect(session.sessionId).toBe(sessionId);
    }));

  it("S-232: have a name, a description and execute(session, args), and a result of three fields", async () => {
    const command: SystemCommand = {
      name: "shout",
      description: "Say it louder",
      execute: (session, args) => ({
        message: args.toUpperCase(),
        success: true,
        data: { sessionId: session.sessionId },
      }),
    };
    expectTypeOf(command).toExtend<{ name: string; description: string }>();
    expectTypeOf<keyof SystemCommand>().toEqualTypeOf<"name" | "description" | "execute">();
    expectTypeOf<keyof CommandResult>().toEqualTypeOf<"message" | "success" | "data">();
    expectTypeOf<CommandResult["message"]>().toEqualTypeOf<string>();
    expectTypeOf<CommandResult["success"]>().toEqualTypeOf<boolean>();
    await withSession(async (session) => {
      const results = [
        await command.execute(session, "hey"),
        await session.executeCommand("context", ""),
        await session.executeCommand("mode", "nonsense"),
      ];
      expect(results[0]).toEqual({
        message: "HEY",
        success: true,
        data: { sessionId: session.sessionId },
      });
      for (const result of results) {
        expect(typeof result?.message).toBe("string");
        expect(typeof result?.success).toBe("boolean");
        expect(["message,success", "data,message,success"]).toContain(
          Object.keys(result ?? {})
            .toSorted()
            .join(),
        );
      }
    });
  });

  it("S-233: change nothing outside of their session", () =>
    withHost(async ({ platform, cwd }) => {
      const provider = new ScriptedProvider(Array.from({ length: 40 }, () => ({ text: "ok" })));
      const changes: string[] = [];
      const changing = /^(?:writeFile|appendFile|mkdir|remove|rename|symlink|chmod|utimes|open)$/;
      const fs = new Proxy(platform.fs, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          if (changing.test(String(name))) changes.push(String(name));
          return value.bind(target);
        },
      });
      await using session = new InteractiveSession({
        platform: { ...platform, fs },
        cwd,
        provider,
        trackFiles: false,
      });
      await session.submit("Hi");
      changes.length = 0;
      const before = await platform.storage.keys("");
      for (const name of NAMED) expect(await session.executeCommand(name, ""), name).not.toBeNull();
      expect(changes).toEqual([]);
      const others = (await platform.storage.keys("")).filter((key) => !before.includes(key));
      expect(others.filter((key) => !key.includes(session.sessionId))).toEqual([]);
      // The session is still there: a command that means to end or to change it leaves that to its caller.
      expect(await session.submit("Still there?")).toMatchObject({ state: "complete" });
    }));
});

describe("S-288: a transport", () => {
  function adapter(): { transport: TransportAdapter; calls: unknown[] } {
    const calls: unknown[] = [];
    const transport: TransportAdapter = {
      name: "loopback",
      attach: (session) => void calls.push(["attach", session]),
      start: async () => void calls.push(["start"]),
      stop: async () => void calls.push(["stop"]),
    };
    return { transport, calls };
  }

  it("S-221: is attached to the session by attachTransport, and started and stopped by its caller", () =>
    withSession(async (session) => {
      const { transport, calls } = adapter();
      session.attachTransport(transport);
      expect(calls).toEqual([["attach", session]]);
      await session.submit("Hi");
      expect(calls).toHaveLength(1);
      await transport.start();
      await transport.stop();
      expect(calls.slice(1)).toEqual([["start"], ["stop"]]);
    }));

  it("has a name, attach, start and stop, as the HTTP one does", async () => {
    expectTypeOf<keyof TransportAdapter>().toEqualTypeOf<"name" | "attach" | "start" | "stop">();
    const transport: TransportAdapter = httpTransport({ tokens: { me: "me-secret" } });
    expect(transport.name).toBe("http");
    await withSession(async (session) => {
      session.attachTransport(transport);
      expect(await transport.start()).toBeUndefined();
      expect(await transport.stop()).toBeUndefined();
    });
  });
});
