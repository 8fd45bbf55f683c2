import { BuiltinCommandSource, CommandRegistry } from "@robota/runtime";
import { PERMISSION_MODES } from "@robota/runtime/permissions";
import type { Command, CommandSource } from "@robota/runtime/sessions";
import { describe, expect, it } from "vitest";

function source(name: string, ...names: string[]): CommandSource {
  const commands = names.map((command): Command => ({
    name: command,
    description: `${command} of ${name}`,
    source: name,
  }));
  return { name, getCommands: () => Promise.resolve(commands) };
}

function registryOf(...sources: CommandSource[]): CommandRegistry {
  const registry = new CommandRegistry();
  for (const one of sources) registry.addSource(one);
  return registry;
}

const names = (commands: readonly Command[]) => commands.map(({ name }) => name);

describe("a command registry", () => {
  it("lists the commands of all sources, in their order", async () => {
    const registry = registryOf(source("a", "one", "two"), source("b", "three"));
    expect(names(await registry.getCommands())).toEqual(["one", "two", "three"]);
    registry.addSource(source("c", "four"));
    expect(names(await registry.getCommands())).toEqual(["one", "two", "three", "four"]);
  });

  it("filters by a prefix, in any case", async () => {
    const registry = registryOf(new BuiltinCommandSource(), source("b", "Modern"));
    for (const prefix of ["mod", "MOD", "Mod"])
      expect(names(await registry.getCommands(prefix))).toEqual(["mode", "model", "Modern"]);
    expect(await registry.getCommands("nothing")).toEqual([]);
  });

  it("resolves a plugin's short name, and an unknown or ambiguous one to null", async () => {
    const plugin = source("plugin", "my-plugin:audit", "my-plugin:fix", "other:fix");
    const registry = registryOf(new BuiltinCommandSource(), plugin);
    expect(await registry.resolveQualifiedName("audit")).toBe("my-plugin:audit");
    expect(await registry.resolveQualifiedName("fix")).toBeNull();
    expect(await registry.resolveQualifiedName("unknown")).toBeNull();
    expect(await registry.resolveQualifiedName("help")).toBeNull();
    expect(await registry.resolveQualifiedName("dit")).toBeNull();
  });

  it("finds by name, alias and qualified name; the first source wins, and the others stay reachable", async () => {
    const aliased: CommandSource = {
      name: "own",
      getCommands: () => [{ name: "deploy", aliases: ["ship"], description: "", source: "own" }],
    };
    const registry = registryOf(
      new BuiltinCommandSource(),
      aliased,
      source("project", "clear", "deploy"),
      source("plugin", "p:audit"),
    );
    const sourceOf = async (name: string) => (await registry.find(name))?.source;
    expect(await sourceOf("clear")).toBe("builtin");
    expect(await sourceOf("project:clear")).toBe("project");
    expect(await sourceOf("ship")).toBe("own");
    expect(await sourceOf("project:deploy")).toBe("project");
    expect(await sourceOf("audit")).toBe("plugin");
    expect(await sourceOf("toString")).toBeUndefined();
    expect(names(await registry.getCommands("cle"))).toEqual(["clear"]);
  });

  it("keeps other sources when one fails, and reports it", async () => {
    const broken: CommandSource = {
      name: "broken",
      getCommands: () => Promise.reject(new Error("no disk")),
    };
    const registry = registryOf(broken, source("b", "one"));
    expect(names(await registry.getCommands())).toEqual(["one"]);
    expect(registry.problems).toEqual(["broken: no disk"]);
  });

  it("rereads its sources on request", async () => {
    let count = 0;
    let known: Command[] | undefined;
    const lazy: CommandSource = {
      name: "lazy",
      getCommands: () => (known ??= [{ name: `read-${++count}`, description: "", source: "lazy" }]),
      reload: () => (known = undefined),
    };
    const registry = registryOf(lazy);
    await registry.getCommands();
    expect(names(await registry.getCommands())).toEqual(["read-1"]);
    registry.reload();
    expect(names(await registry.getCommands())).toEqual(["read-2"]);
  });
});

describe("the source of the built-in commands", () => {
  it("has subcommand trees for mode, model and language", async () => {
    const registry = registryOf(new BuiltinCommandSource());
    expect(new BuiltinCommandSource().name).toBe("builtin");
    expect(names(await registry.getSubcommands("mode"))).toEqual([...PERMISSION_MODES]);
    expect(names(await registry.getSubcommands("model"))).toEqual(
      expect.arrayContaining(["claude-opus-5", "claude-haiku-4-5", "gpt-5.5"]),
    );
    expect(names(await registry.getSubcommands("language"))).toEqual(
      expect.arrayContaining(["en", "ko", "ja", "zh"]),
    );
    expect(await registry.getSubcommands("clear")).toEqual([]);
    expect(await registry.getSubcommands("nothing")).toEqual([]);
  });

  it("declares a name, a description and a source for each command", async () => {
    for (const command of await new BuiltinCommandSource().getCommands()) {
      expect(command).toMatchObject({ source: "builtin" });
      expect(command.name).toMatch(/^[a-z][a-z-]*$/);
      expect(command.description).not.toBe("");
      for (const sub of command.subcommands ?? []) expect(sub.description).not.toBe("");
    }
  });
});
