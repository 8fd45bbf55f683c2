import { createQuery, InteractiveSession, Robota, Session } from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { compatibleProvider, OpenAIProvider } from "@robota/runtime/providers/openai";
import { ScriptedProvider } from "@robota/runtime/testing";
import { httpTransport, RemoteSession } from "@robota/runtime/transports";
import { VirtualShell } from "@robota/shell";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";

const given = () => ({ platform: memoryPlatform(), provider: new ScriptedProvider([]) });
const service = { apiKey: "k", model: "m" };

/** Makes each of options that no compiler has checked. */
const makers: Record<string, (options: object) => unknown> = {
  Robota: (options) => Reflect.construct(Robota, [{ ...given(), ...options }]),
  Session: (options) => Reflect.construct(Session, [{ ...given(), ...options }]),
  InteractiveSession: (options) =>
    Reflect.construct(InteractiveSession, [{ ...given(), ...options }]),
  createQuery: (options) => createQuery({ ...given(), ...options })("Go"),
  AnthropicProvider: (options) =>
    Reflect.construct(AnthropicProvider, [{ ...service, ...options }]),
  OpenAIProvider: (options) => Reflect.construct(OpenAIProvider, [{ ...service, ...options }]),
  httpTransport: (options) =>
    httpTransport({ tokens: { me: "a-token-that-is-long-enough" }, ...options }),
  RemoteSession: (options) =>
    new RemoteSession({ url: "http://127.0.0.1:9", sessionId: "one", timeoutMs: 1, ...options }),
  VirtualShell: (options) => new VirtualShell({ fs: memoryPlatform().fs, ...options }),
  compatibleProvider: (options) =>
    Reflect.apply(compatibleProvider, undefined, ["openRouter", { ...service, ...options }]),
};

const make = async (name: string, options: object): Promise<unknown> => makers[name]?.(options);

describe("a misspelt option is refused at once, with the one that was meant", () => {
  it.each([
    ["Robota", "tool", "tools"],
    ["Robota", "systemMesage", "systemMessage"],
    ["Robota", "maxExecutionRound", "maxExecutionRounds"],
    ["Session", "permision", "permissions"],
    ["Session", "permissionmode", "permissionMode"],
    ["Session", "hook", "hooks"],
    ["InteractiveSession", "maxTurn", "maxTurns"],
    ["InteractiveSession", "setting", "settings"],
    ["InteractiveSession", "trustWorkSpace", "trustWorkspace"],
    ["InteractiveSession", "agentss", "agents"],
    ["createQuery", "permissionHandlr", "permissionHandler"],
    ["AnthropicProvider", "baseUrl", "baseURL"],
    ["OpenAIProvider", "apikey", "apiKey"],
    ["compatibleProvider", "maxToken", "maxTokens"],
    ["httpTransport", "isAlowed", "isAllowed"],
    ["httpTransport", "allowedOrigin", "allowedOrigins"],
    ["RemoteSession", "tokn", "token"],
    ["VirtualShell", "limit", "limits"],
  ])("%s: %s", async (name, misspelt, meant) => {
    await expect(make(name, { [misspelt]: [] })).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: `Unknown option ${misspelt}`,
      hint: `Did you mean ${meant}?`,
    });
  });

  it.each(Object.keys(makers).filter((name) => name !== "createQuery"))(
    "%s accepts what it does not read, and options that are not set",
    async (name) => {
      await expect(make(name, { team: "docs", owner: 5, tooos: undefined })).resolves.toBeDefined();
    },
  );
});

it("takes words of their own for no typos, so that a program can pass more than is read", async () => {
  const words = ["version", "parent", "section", "events", "modules", "routes", "map", "agentId"];
  const session = new Session({
    ...given(),
    ...Object.fromEntries(words.map((word) => [word, 1])),
  });
  await session.shutdown();
});

describe("an option of another form is refused by its name", () => {
  it.each([
    ["Robota", "tools", {}],
    ["Robota", "plugins", {}],
    ["Robota", "models", {}],
    ["Robota", "systemMessage", 5],
    ["Session", "tools", "Read"],
    ["Session", "cwd", 5],
    ["Session", "onTextDelta", 5],
    ["Session", "permissionHandler", "allow"],
    ["Session", "takeOver", "false"],
    ["InteractiveSession", "tools", {}],
    ["InteractiveSession", "agents", { reviewer: {} }],
    ["InteractiveSession", "commandSources", 5],
    ["InteractiveSession", "mcpServers", []],
    ["InteractiveSession", "forkSession", "yes"],
    ["createQuery", "onCompact", true],
    ["AnthropicProvider", "maxTokens", "32000"],
    ["OpenAIProvider", "baseURL", 5],
    ["compatibleProvider", "defaultHeaders", "x: y"],
    ["httpTransport", "allowedHosts", "localhost"],
    ["RemoteSession", "url", 5],
    ["VirtualShell", "customCommands", {}],
  ])("%s: %s is %j", async (name, option, value) => {
    await expect(make(name, { [option]: value })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining(`The value of ${option} is of type `),
      hint: expect.stringMatching(`^Pass a value of type .* as ${option}\\.$`),
    });
  });

  it.each(["Robota", "Session", "InteractiveSession"])("%s: a tool that is none", async (name) => {
    await expect(make(name, { tools: [null] })).rejects.toMatchObject({
      message: expect.stringContaining("The tool at index 0 lacks: name"),
    });
  });
});
