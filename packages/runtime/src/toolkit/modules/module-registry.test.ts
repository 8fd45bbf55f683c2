import { describe, expect, it } from "vitest";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { createModuleTool, type Module, ModuleRegistry } from "./module-registry.ts";
import { Robota } from "../../agent/robota.ts";

const double: Module<{ value: number }, number> = {
  name: "double",
  description: "Doubles a number",
  execute: ({ value }) => value * 2,
};

describe("a module registry", () => {
  it("starts modules in dependency order, once, and stops them in reverse order", async () => {
    const log: string[] = [];
    const module = (name: string, dependencies: string[] = []): Module => ({
      name,
      dependencies,
      initialize: async () => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        log.push(`start ${name}`);
      },
      execute: () => name,
      dispose: () => void log.push(`end ${name}`),
    });
    const registry = new ModuleRegistry([
      module("page", ["text", "store"]),
      module("text", ["store"]),
      module("store"),
      module("unused"),
    ]);
    await Promise.all([registry.execute("page", 1), registry.execute("text", 1)]);
    await registry.dispose();
    expect(log).toEqual([
      "start store",
      "start text",
      "start page",
      "end page",
      "end text",
      "end store",
    ]);
  });

  it("lets a module call its dependencies only", async () => {
    const quadruple: Module<{ value: number }, Promise<unknown>> = {
      name: "quadruple",
      dependencies: ["double"],
      execute: async ({ value }, { call }) =>
        call("double", { value: await call("double", { value }) }),
    };
    const nosy: Module = { name: "nosy", execute: (_, { call }) => call("double", { value: 1 }) };
    const registry = new ModuleRegistry([double, quadruple, nosy]);
    expect(await registry.execute("quadruple", { value: 3 })).toBe(12);
    await expect(registry.execute("nosy", 1)).rejects.toMatchObject({
      hint: 'Add "double" to the dependencies of nosy.',
    });
  });

  it("refuses cycles, unknown modules and duplicate names", async () => {
    const registry = new ModuleRegistry([
      { name: "a", dependencies: ["b"], execute: () => 1 },
      { name: "b", dependencies: ["c"], execute: () => 1 },
      { name: "c", dependencies: ["b"], execute: () => 1 },
      { name: "lost", dependencies: ["doubel"], execute: () => 1 },
      double,
    ]);
    await expect(registry.execute("a", 1)).rejects.toMatchObject({
      message: "Modules depend on each other: b → c → b",
    });
    await expect(registry.execute("lost", 1)).rejects.toMatchObject({
      hint: "Did you mean double?",
    });
    expect(() => registry.register(double)).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR" }),
    );
  });

  it("retries a failed start, and calls its hooks for every run", async () => {
    const log: string[] = [];
    let starts = 0;
    const shaky: Module = {
      name: "shaky",
      initialize: () => {
        starts += 1;
        if (starts === 1) throw new Error("not yet");
      },
      execute: (input) => {
        if (input === "bad") throw new Error("bad input");
        return input;
      },
    };
    const registry = new ModuleRegistry([shaky], {
      beforeExecute: (name, input) => void log.push(`before ${name} ${String(input)}`),
      afterExecute: (name, output) => void log.push(`after ${name} ${String(output)}`),
      onError: (name, error) => void log.push(`error ${name} ${String(error)}`),
    });
    await expect(registry.execute("shaky", "x")).rejects.toThrow("not yet");
    expect(await registry.execute("shaky", "x")).toBe("x");
    await expect(registry.execute("shaky", "bad")).rejects.toThrow("bad input");
    expect(log).toEqual([
      "before shaky x",
      "after shaky x",
      "before shaky bad",
      "error shaky Error: bad input",
    ]);
    await expect(
      registry.execute("shaky", "x", { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ name: "AbortError" });
  });

  it("exposes a module to an agent as a tool", async () => {
    const tool = createModuleTool(new ModuleRegistry([double]), "double", {
      parameters: {
        type: "object",
        properties: { value: { type: "number" } },
        required: ["value"],
      },
      access: "none",
    });
    expect(tool).toMatchObject({ name: "double", description: "Doubles a number", access: "none" });
    const provider = new ScriptedProvider([
      { toolCalls: [{ name: "double", args: { value: 21 } }] },
      { text: "42" },
    ]);
    const agent = new Robota({ provider, tools: [tool] });
    await agent.run("double 21");
    expect(agent.getHistory().find(({ role }) => role === "tool")).toMatchObject({ content: "42" });
  });
});
