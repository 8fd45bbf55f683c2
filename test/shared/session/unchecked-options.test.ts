import {
  createQuery,
  evaluatePermission,
  InteractiveSession,
  type PermissionLists,
  Robota,
  type RobotaOptions,
  Session,
  type SessionOptions,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";

// What a program of plain JavaScript gives, or one whose values come from the environment or from JSON.
const platform = memoryPlatform();

describe("permissions of another form are refused, since their rules would not be in force", () => {
  it.each<[string, unknown, string?]>([
    ["deny", { deny: "Bash" }],
    ["dney", { dney: ["Bash"] }],
    ["0", ["Bash"]],
    ["allow", { allow: { Bash: true } }],
    ["permissions", 5],
    ["layers", { layers: { deny: ["Bash"] } }],
    ["deny", { layers: [{ name: "team", lists: { deny: "B" } }] }, " of team"],
    ["dney", { layers: [{ name: "team", lists: { dney: ["Bash"] } }] }, " of team"],
    ["lists", { layers: [{ name: "team", deny: ["Bash"] }] }, " of team"],
    ["lists", { layers: [null] }, " of layers.0"],
    [
      "ask",
      { layers: [{ name: "a", lists: { layers: [{ name: "b", lists: { ask: "B" } }] } }] },
      " of b",
    ],
  ])("%s in %j", async (list, given, place = "") => {
    const permissions = given as PermissionLists;
    const provider = new ScriptedProvider([{ text: "Not asked" }]);
    const refusal = expect.objectContaining({
      code: "VALIDATION_ERROR",
      message: `"${list}"${place} is not a list of permission rules`,
      hint: expect.stringContaining("deny: ["),
    });
    const made = async (): Promise<Session> => new Session({ platform, provider, permissions });
    await expect(made()).rejects.toEqual(refusal);
    const opened = async () => new InteractiveSession({ platform, provider, permissions }).ready;
    await expect(opened()).rejects.toEqual(refusal);
    const judged = async () => evaluatePermission("Bash", {}, "default", permissions);
    await expect(judged()).rejects.toEqual(refusal);
    expect(provider.requests).toEqual([]);
  });
});

describe("a rule that is no text is refused with its place", () => {
  it.each<[string, unknown]>([
    ['5 in "deny"', { deny: ["Bash", 5] }],
    ['undefined in "ask"', { ask: [undefined] }],
    ['7 in "deny" of team', { layers: [{ name: "team", lists: { deny: [7] } }] }],
  ])("%s", (place, given) => {
    const permissions = given as PermissionLists;
    const refusal = expect.objectContaining({
      code: "VALIDATION_ERROR",
      message: `${place} is not a permission rule`,
    });
    expect(() => evaluatePermission("Read", {}, "default", permissions)).toThrow(refusal);
    const provider = new ScriptedProvider([]);
    expect(() => new Session({ platform, provider, permissions })).toThrow(refusal);
  });
});

describe("a number of prompts that may wait which is none is refused", () => {
  it.each<[unknown]>([[Number.NaN], [-1], [1.5], ["2"], [null]])("%s", (value) => {
    const provider = new ScriptedProvider([]);
    const options = { platform, provider, queueLimit: value as number };
    expect(() => new InteractiveSession(options)).toThrow(
      expect.objectContaining({
        code: "CONFIGURATION_ERROR",
        message: `The option queueLimit is ${String(value)}`,
        hint: expect.stringContaining("0, 1 or more"),
      }),
    );
  });

  it.each([0, 1, Infinity])("%s is one", async (queueLimit) => {
    const provider = new ScriptedProvider([{ text: "Hi" }]);
    const session = new InteractiveSession({ platform, provider, queueLimit });
    expect((await session.submit("Hi")).response).toBe("Hi");
    await session.shutdown();
  });
});

describe("an option that would guard nothing in its form is refused by its name", () => {
  it.each<[string, unknown]>([
    ["readOnlyCommands", "false"],
    ["readOnlyCommands", 0],
    ["takeOver", "false"],
    ["roots", "/workspace"],
    ["budget", { usd: 5 }],
    ["budget", 5],
    ["turnBudget", { maxTokens: 1000 }],
  ])("%s of a session: %j", (name, value) => {
    const provider = new ScriptedProvider([]);
    const options: SessionOptions = { platform, provider, [name]: value };
    expect(() => new Session(options)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(name.endsWith("udget") ? "budget" : name),
        hint: expect.stringMatching(/./),
      }),
    );
  });

  it.each<[unknown]>([[{ usd: 5 }], [5]])("budget of an agent: %j", async (given) => {
    const provider = new ScriptedProvider([{ text: "Not asked" }]);
    const budget = given as RobotaOptions["budget"];
    const options: RobotaOptions = { provider, budget };
    await expect(new Robota(options).run("Go")).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
    });
    expect(provider.requests).toEqual([]);
  });

  it("a misspelt list of rules in settings is warned of", async () => {
    const session = new InteractiveSession({
      platform,
      provider: new ScriptedProvider([]),
      settings: JSON.parse('{ "permissions": { "denny": ["Bash"], "deny": ["Write"] } }') as Record<
        string,
        unknown
      >,
    });
    await session.ready;
    expect(session.getSettings()?.warnings).toMatchObject([
      {
        setting: "permissions.denny",
        message: "is not a setting. Did you mean deny?",
      },
    ]);
    await session.shutdown();
  });

  it.each<[string, unknown]>([
    ["access", "readonly"],
    ["isolation", "Overlay"],
    ["tools", "Read"],
    ["disallowedTools", "Bash"],
  ])("%s of an agent's definition: %s", async (name, value) => {
    const agent = { name: "reviewer", description: "Reviews", systemPrompt: "Review." };
    const agents = [Object.assign(agent, { [name]: value })];
    const session = new InteractiveSession({
      platform,
      provider: new ScriptedProvider([]),
      agents,
    });
    await expect(session.ready).rejects.toMatchObject({
      message: expect.stringContaining(name),
      hint: expect.stringContaining(name),
    });
    await session.shutdown();
  });
});

describe("a limit that nothing ever reaches is refused before anything is sent", () => {
  it.each<[string, unknown, string]>([
    ["maxTurns", Number(undefined), "NaN"],
    ["maxTurns", -1, "-1"],
    ["maxTurns", "30s", "30s"],
    ["providerTimeout", Number.NaN, "NaN"],
    ["contextWindow", Number.NaN, "NaN"],
  ])("%s of a session: %s", async (name, value, shown) => {
    const provider = new ScriptedProvider([{ text: "Not asked" }]);
    const options: SessionOptions = { platform, provider, [name]: value };
    const session = new Session(options);
    await expect(session.run("Go")).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: `The option ${name} is ${shown}`,
    });
    await session.shutdown();
    expect(provider.requests).toEqual([]);
  });

  it.each(["maxExecutionRounds", "timeout", "contextWindow"])("%s of an agent", async (name) => {
    const provider = new ScriptedProvider([{ text: "Not asked" }]);
    const options: RobotaOptions = { provider, [name]: Number.NaN };
    await expect(new Robota(options).run("Go")).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: `The option ${name} is NaN`,
    });
    expect(provider.requests).toEqual([]);
  });
});

describe("a prompt that is no text is refused, and the next one is answered", () => {
  it.each<[unknown, string]>([
    [undefined, "undefined"],
    [5, "number"],
    [[null], "object"],
  ])("%s", async (given, shown) => {
    const prompt = given as string;
    const refusal = {
      code: "VALIDATION_ERROR",
      message: `A prompt is text or parts, not ${shown}`,
    };
    const provider = new ScriptedProvider([{ text: "1" }, { text: "2" }, { text: "3" }]);
    const agent = new Robota({ provider });
    await expect(agent.run(prompt)).rejects.toMatchObject(refusal);
    expect((await agent.run("Hi")).text).toBe("1");

    const session = new Session({ platform, provider });
    await expect(session.run(prompt)).rejects.toMatchObject(refusal);
    expect(await session.run("Hi")).toBe("2");
    await session.shutdown();

    const interactive = new InteractiveSession({ platform, provider });
    await expect(interactive.submit(prompt)).rejects.toMatchObject(refusal);
    expect(await interactive.submit("Hi")).toMatchObject({ state: "complete", response: "3" });
    await interactive.shutdown();
    await expect(createQuery({ platform, provider })(prompt)).rejects.toMatchObject(refusal);
  });
});
