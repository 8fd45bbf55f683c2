import { withHost } from "#host";
import {
  contentText,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Platform,
  replaySession,
  type SessionEvent,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { weather, type Weather } from "../../support/mcp/weather-server.ts";
import { expectWithin } from "../../support/time/own-time.ts";
import type { Script } from "../../support/settings-support.ts";

const URL = "https://mcp.example/mcp";

interface Opened {
  session: InteractiveSession;
  provider: ScriptedProvider;
  events: SessionEvent[];
  /** The results of tools that the model was given, in order. */
  results: () => string[];
  toolNames: () => string[];
}

/** The host's platform with a network that has the server only. */
function on(platform: Platform, { fetch }: Pick<Weather, "fetch">): Platform {
  return Object.assign(Object.create(platform) as Platform, { fetch, pinnedFetch: undefined });
}

function open(
  platform: Platform,
  cwd: string,
  script: Script,
  options: Partial<InteractiveSessionOptions>,
): Opened {
  const provider = new ScriptedProvider(script);
  const session = new InteractiveSession({
    platform,
    cwd,
    provider,
    trackFiles: false,
    permissionMode: "bypassPermissions",
    ...options,
  });
  const events: SessionEvent[] = [];
  session.on("event", (event) => events.push(event));
  const messages = () => provider.requests.at(-1)?.messages ?? [];
  return {
    session,
    provider,
    events,
    results: () =>
      messages()
        .filter(({ role }) => role === "tool")
        .map(({ content }) => contentText(content)),
    toolNames: () => (provider.requests.at(-1)?.options?.tools ?? []).map(({ name }) => name),
  };
}

const call = (name: string, args: Record<string, string> = {}) => ({
  toolCalls: [{ name: `mcp__weather__${name}`, args }],
});
const done = { text: "done" };

describe.each(["over HTTP", "in the same program"])("a session's MCP server, %s", (how) => {
  const serverOf = ({ server }: Weather) => (how === "over HTTP" ? { url: URL } : { server });
  const given = (server: Weather): Partial<InteractiveSessionOptions> => ({
    mcpServers: { weather: serverOf(server) },
  });

  it("has its tools in the session, and is connected to with the first turn", () =>
    withHost(async ({ platform, cwd }) => {
      const server = weather();
      const { session, results, toolNames } = open(
        on(platform, server),
        cwd,
        [call("forecast", { city: "Bern" }), done],
        given(server),
      );
      await session.ready;
      expect(server.requests()).toBe(0);
      expect((await session.submit("How is the weather?")).state).toBe("complete");
      expect(toolNames()).toContain("mcp__weather__forecast");
      expect(results()).toEqual(["12 °C in Bern"]);
      await session.shutdown();
    }));

  it("is shown with what it has, once a person asks", () =>
    withHost(async ({ platform, cwd }) => {
      const server = weather();
      const { session, events } = open(on(platform, server), cwd, [], given(server));
      const shown = await session.executeCommand("mcp");
      expect(shown?.data).toMatchObject({
        servers: [
          {
            name: "weather",
            place: how === "over HTTP" ? "mcp.example" : "in-process",
            layer: "option",
            state: "connected",
            tools: ["forecast", "greet", "ponder", "wait"],
            prompts: ["trip"],
            resources: 1,
          },
        ],
      });
      expect(events).toContainEqual(
        expect.objectContaining({
          kind: "mcp-server",
          data: { server: "weather", state: "connected" },
        }),
      );
      await session.shutdown();
    }));

  it("asks the person behind a call, whose answer it gets", () =>
    withHost(async ({ platform, cwd }) => {
      const server = weather();
      const asked: unknown[] = [];
      const { session, results } = open(on(platform, server), cwd, [call("greet"), done], {
        ...given(server),
        permissionHandler: (tool, args) => {
          asked.push({ tool, args });
          return { allow: true, updatedArgs: { answer: { name: "Ada" } } };
        },
      });
      await session.submit("Greet me");
      expect(asked).toEqual([
        {
          tool: "mcp__weather__elicitation",
          args: {
            message: "Who are you?",
            fields: expect.objectContaining({ name: { type: "string" } }),
            answer: { name: null, polite: true },
            required: ["name"],
          },
        },
      ]);
      expect(results()).toEqual(["Hello Ada, pleased to meet you"]);
      await session.shutdown();
    }));

  it("gets no answer where the person says no, or only yes, which tells once what is missing", () =>
    withHost(async ({ platform, cwd }) => {
      for (const allow of [false, true]) {
        const server = weather();
        let asked = 0;
        const permissionHandler = (): boolean => {
          asked += 1;
          return allow;
        };
        const { session, events, results } = open(
          on(platform, server),
          cwd,
          [call("greet"), done],
          {
            ...given(server),
            permissionHandler,
          },
        );
        await session.submit("Greet me");
        expect(results()).toEqual(["Hello nobody"]);
        expect(asked).toBe(1);
        const told = JSON.stringify(events.filter(({ type }) => type === "tool_output"));
        expect(told.match(/got no answer: [^"]*name/g) ?? []).toHaveLength(allow ? 1 : 0);
        await session.shutdown();
      }
    }));

  it("gets nothing of the model, unless the session allows it", () =>
    withHost(async ({ platform, cwd }) => {
      const server = weather();
      const script = [call("ponder"), { text: "seven" }, done];
      const { session, results } = open(on(platform, server), cwd, script, {
        mcpServers: { weather: { ...serverOf(server), sampling: true } },
      });
      await session.submit("Ponder");
      expect(results()).toEqual([expect.stringContaining("seven")]);
      await session.shutdown();
      const other = open(on(platform, server), cwd, [call("ponder"), done], given(server));
      await other.session.submit("Ponder");
      expect(other.results()).not.toEqual([expect.stringContaining("It says")]);
      await other.session.shutdown();
    }));

  it("reports progress, and is told when a turn is stopped", () =>
    withHost(async ({ platform, cwd }) => {
      const server = weather();
      const { session, events } = open(
        on(platform, server),
        cwd,
        [call("wait"), done],
        given(server),
      );
      const turn = session.submit("Wait");
      await expect
        .poll(() => events.filter(({ type }) => type === "tool_output"))
        .toMatchObject([{ text: "1/2 half\n" }]);
      session.abort();
      expect((await turn).state).toBe("interrupted");
      await server.cancelled;
      await session.shutdown();
    }));

  it("has resources for a tool and for mentions in prompts, and prompts as commands", () =>
    withHost(async ({ platform, cwd }) => {
      const server = weather();
      const read = {
        toolCalls: [{ name: "ReadMcpResource", args: { resource: "weather:weather://map" } }],
      };
      const script = [
        { toolCalls: [{ name: "ListMcpResources", args: {} }] },
        read,
        done,
        done,
        done,
      ];
      const { session, results, provider } = open(on(platform, server), cwd, script, given(server));
      await session.submit("Read the map");
      expect(results()).toEqual(["weather:weather://map  The map", "It rains in the north"]);
      await session.submit("What is on @weather:weather://map?");
      expect(JSON.stringify(provider.requests.at(-1)?.messages.at(-1))).toContain(
        "It rains in the north",
      );
      const trip = await session.executeCommand("mcp__weather__trip", "Rome");
      expect(trip).toMatchObject({ success: true, message: "done" });
      expect(JSON.stringify(provider.requests.at(-1)?.messages.at(-1))).toContain(
        "Plan a trip to Rome",
      );
      await session.shutdown();
    }));

  it("is looked for in linear time in a prompt with many dots", () =>
    withHost(async ({ platform, cwd }) => {
      const server = weather();
      const script = Array.from({ length: 100 }, () => done);
      const { session } = open(on(platform, server), cwd, script, given(server));
      await session.submit("Hello");
      const prompt = `@weather:a${".".repeat(50_000)}b`;
      await expectWithin(2_000, async () => {
        expect((await session.submit(prompt)).state).toBe("complete");
      });
      await session.shutdown();
    }));

  it("is replayed to the byte without it", () =>
    withHost(async ({ platform, cwd }) => {
      const server = weather();
      const script = [call("forecast", { city: "Bern" }), call("greet"), done, done];
      const { session } = open(on(platform, server), cwd, script, {
        ...given(server),
        sessionId: "recorded",
        permissionMode: "default",
        permissionHandler: () => ({ allow: true, updatedArgs: { answer: { name: "Ada" } } }),
        permissions: { allow: ["mcp__weather__*"] },
      });
      await session.submit("How is it? @weather:weather://map");
      await session.submit("And now?");
      await session.shutdown();
      const before = server.requests();
      const recorded: string[] = [];
      for await (const { value } of platform.storage.read("sessions/recorded"))
        recorded.push(new TextDecoder().decode(value));
      const source = { storage: platform.storage, sessionId: "recorded" };
      const { records } = await replaySession(source, memoryPlatform());
      expect(records.map((bytes) => new TextDecoder().decode(bytes))).toEqual(recorded);
      expect(server.requests()).toBe(before);
    }));
});
