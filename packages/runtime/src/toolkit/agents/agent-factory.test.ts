import { describe, expect, it } from "vitest";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { AgentFactory, AgentTemplates } from "./agent-factory.ts";

const provider = (...texts: string[]): ScriptedProvider =>
  new ScriptedProvider(texts.map((text) => ({ text })));

describe("an agent factory", () => {
  it("makes agents from defaults and their own options, and lists active ones", async () => {
    const shared = provider("a", "b");
    const factory = new AgentFactory({ defaults: { provider: shared, systemMessage: "Be kind" } });
    const first = await factory.create({ name: "first" });
    const second = await factory.create({ systemMessage: "Be brief" });
    await first.agent.run("Hi");
    await second.agent.run("Hi");
    expect(shared.requests.map(({ messages }) => messages[0]?.content)).toEqual([
      "Be kind",
      "Be brief",
    ]);
    expect(factory.list()).toEqual([first, second]);
    expect([first.name, factory.get(second.id)]).toEqual(["first", second]);
    expect(await factory.dispose(first.id)).toBe(true);
    expect(await factory.dispose(first.id)).toBe(false);
    expect(factory.list()).toEqual([second]);
  });

  it("keeps a default when the agent's own option is undefined", async () => {
    const shared = provider("a", "b");
    const defaults = { provider: shared, systemMessage: "Be kind" };
    const factory = new AgentFactory({ defaults });
    const { agent } = await factory.create({ systemMessage: undefined, cwd: undefined });
    await agent.run("Hi");
    const options = { systemMessage: "Be brief" };
    const templates = new AgentTemplates(factory, [{ id: "brief", name: "Brief", options }]);
    const brief = await templates.create("brief", { systemMessage: undefined });
    await brief.agent.run("Hi");
    expect(brief.warnings).toEqual([]);
    expect(shared.requests.map(({ messages }) => messages[0]?.content)).toEqual([
      "Be kind",
      "Be brief",
    ]);
  });

  it("calls its hooks around an agent's life cycle", async () => {
    const calls: string[] = [];
    const factory = new AgentFactory({
      beforeCreate: (options) => {
        calls.push("before");
        return { ...options, systemMessage: "From the hook" };
      },
      afterCreate: ({ agent }) => void calls.push(`after ${agent.getHistory().length}`),
      onDispose: () => void calls.push("disposed"),
    });
    const scripted = provider("ok");
    const stored: string[] = [];
    const { agent } = await factory.create({
      provider: scripted,
      plugins: [{ name: "p", category: "custom", dispose: async () => void stored.push("p") }],
    });
    await agent.run("Hi");
    await factory[Symbol.asyncDispose]();
    expect(factory.list()).toEqual([]);
    expect(calls).toEqual(["before", "after 0", "disposed"]);
    expect(stored).toEqual(["p"]);
    expect(scripted.requests[0]?.messages[0]?.content).toBe("From the hook");
  });

  it("enforces its limit, also concurrently, and continues after a disposal", async () => {
    const factory = new AgentFactory({
      maxAgents: 2,
      defaults: { provider: provider() },
      beforeCreate: () => new Promise((resolve) => setTimeout(resolve, 5)),
    });
    const attempts = await Promise.allSettled([1, 2, 3].map(() => factory.create()));
    expect(attempts.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(attempts[2]).toMatchObject({ reason: { code: "AGENT_LIMIT", hint: /maxAgents/ } });
    await factory.dispose(factory.list()[0]?.id ?? "");
    await factory.create();
    expect(factory.list()).toHaveLength(2);
  });

  it("has a default limit of 100", async () => {
    const factory = new AgentFactory({ defaults: { provider: provider() } });
    for (let count = 0; count < 100; count++) await factory.create();
    await expect(factory.create()).rejects.toMatchObject({ code: "AGENT_LIMIT" });
  });

  it("releases the place of an agent that could not be made", async () => {
    let fail = true;
    const factory = new AgentFactory({
      maxAgents: 1,
      defaults: { provider: provider() },
      afterCreate: () => {
        if (fail) throw new Error("no");
      },
    });
    await expect(factory.create()).rejects.toThrow("no");
    fail = false;
    await factory.create();
    await expect(new AgentFactory().create()).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
    });
  });
});

describe("agent templates", () => {
  const templates = (): AgentTemplates =>
    new AgentTemplates(new AgentFactory({ defaults: { provider: provider("ok", "ok") } }), [
      {
        id: "reviewer",
        name: "Reviewer",
        category: "code",
        tags: ["read-only"],
        options: { systemMessage: "Review", maxExecutionRounds: 3 },
      },
      { id: "writer", name: "Writer", category: "text", options: {} },
    ]);

  it("make agents, and report replaced options", async () => {
    const known = templates();
    expect((await known.create("reviewer")).warnings).toEqual([]);
    const made = await known.create("reviewer", { systemMessage: "Be brief", cwd: "/work" });
    expect(made.warnings).toEqual(["systemMessage of the template reviewer was replaced"]);
    expect([made.name, (await made.agent.run("Hi")).text]).toEqual(["Reviewer", "ok"]);
  });

  it("are found by id, category and tag", () => {
    const known = templates();
    const ids = (filter?: { category?: string; tag?: string }): string[] =>
      known.list(filter).map(({ id }) => id);
    expect([ids(), ids({ category: "code" }), ids({ tag: "none" })]).toEqual([
      ["reviewer", "writer"],
      ["reviewer"],
      [],
    ]);
    expect(known.get("writer")?.name).toBe("Writer");
  });

  it("have unique ids, and near ones are suggested", async () => {
    const known = templates();
    expect(() => known.register({ id: "writer", name: "Again", options: {} })).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR" }),
    );
    await expect(known.create("reviewr")).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      hint: "Did you mean reviewer?",
    });
  });
});
