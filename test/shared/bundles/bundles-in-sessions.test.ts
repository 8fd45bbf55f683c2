import {
  contentText,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Platform,
} from "@robota/runtime";
import { BundlePluginInstaller, PluginCommandSource } from "@robota/runtime/plugins";
import { ScriptedProvider } from "@robota/runtime/testing";
import { withHost } from "#host";
import { describe, expect, it } from "vitest";
import { withMemory } from "../../hosts/memory.ts";
import { agentFile } from "../../support/agent-support.ts";
import { installerPlatform, writeFiles } from "../../support/bundles/bundle-files.ts";
import type { Files, Script } from "../../support/settings-support.ts";

const yes = () => true;
const TOOL = "plugin__greeter__greet";
const NAME = "~/.robota/plugins/greeter";

/** A bundle that takes part in a session with everything a bundle can have. */
const WHOLE: Files = {
  "plugin.json": {
    name: "greeter",
    version: "1.0.0",
    description: "Greets people",
    systemPrompt: "Greet everybody by NAME.",
    permissions: { allow: [TOOL], deny: ["Bash(rm *)"] },
    tools: [
      { name: "greet", description: "Greets", command: 'cat "$ROBOTA_PLUGIN_ROOT/words.txt"' },
    ],
  },
  "words.txt": "hello from the bundle",
  "commands/hello.md":
    "---\ndescription: Says hello\nargument-hint: <name>\n---\nSay hello to $ARGUMENTS",
  "skills/kind/SKILL.md": "---\nname: kind\ndescription: Be KIND to people\n---\nSay please.",
  "skills/kind/words.md": "please",
  "agents/judge.md": agentFile({ description: "Judges" }, "You judge greetings."),
  "hooks/hooks.json": {
    hooks: {
      UserPromptSubmit: [
        {
          hooks: [
            {
              type: "command",
              command: 'echo "context from $(cat "$CLAUDE_PLUGIN_ROOT/words.txt")"',
            },
          ],
        },
      ],
    },
  },
  ".mcp.json": { mcpServers: { team: { url: "https://example.com/mcp" } } },
};

const CALL = { toolCalls: [{ name: TOOL, args: {} }] };

function open(
  platform: Platform,
  cwd: string,
  script: Script,
  options: Partial<InteractiveSessionOptions> = {},
): {
  session: InteractiveSession;
  provider: ScriptedProvider;
  system: () => string;
  words: () => string;
} {
  const provider = new ScriptedProvider(script);
  const session = new InteractiveSession({
    platform,
    cwd,
    provider,
    trackFiles: false,
    ...options,
  });
  const messages = () => provider.requests.at(-1)?.messages ?? [];
  return {
    session,
    provider,
    system: () => contentText(messages().find(({ role }) => role === "system")?.content ?? ""),
    words: () =>
      messages()
        .map(({ content }) => contentText(content))
        .join("\n"),
  };
}

const toolNames = ({ requests }: ScriptedProvider): string[] =>
  (requests.at(-1)?.options?.tools ?? []).map(({ name }) => name);

const offersAgent = ({ requests }: ScriptedProvider): boolean =>
  (requests.at(-1)?.options?.tools ?? []).some(
    ({ name, description }) => name === "Agent" && description.includes("greeter:judge: Judges"),
  );

const commandNames = async (session: InteractiveSession): Promise<string[]> =>
  (await session.executeCommand("plugins")) === null
    ? []
    : session
        .listCommands()
        .map(({ name }) => name)
        .filter((name) => name.includes("greeter"))
        .filter((name) => !session.getSkills().has(name));

async function installed(
  platform: Platform,
  cwd: string,
  files: Files = WHOLE,
  options: Parameters<BundlePluginInstaller["install"]>[1] = { approve: yes },
): Promise<BundlePluginInstaller> {
  await writeFiles(platform.fs, `${cwd}/source`, files);
  const installer = new BundlePluginInstaller(installerPlatform(platform), { cwd });
  await installer.install("./source", options);
  return installer;
}

describe.each([
  ["the host", withHost],
  ["memory", withMemory],
])("an installed bundle, in %s", (_, onHost) => {
  it("takes effect in a session with all of its parts", () =>
    onHost(async ({ platform, cwd }) => {
      await installed(platform, cwd);
      const { session, provider, system, words } = open(platform, cwd, [CALL, { text: "done" }]);
      const { state } = await session.submit("go");
      expect(state).toBe("complete");
      expect(toolNames(provider)).toContain(TOOL);
      // Its rule lets its tool run without a question; its other rule is in force too.
      expect(words()).toContain("hello from the bundle");
      expect(session.explain("Bash", { command: "rm x" })).toMatchObject({
        decision: "deny",
        layer: NAME,
      });
      expect(words()).toContain("context from hello from the bundle");
      expect(system()).toContain("Greet everybody by NAME.");
      expect(session.getSettings()?.values.mcpServers).toEqual({
        team: { url: "https://example.com/mcp" },
      });
      expect(system()).toContain("greeter:kind");
      expect(session.getSkills().get("greeter:kind")?.body).toBe("Say please.");
      expect(await commandNames(session)).toEqual(["greeter:hello"]);
      const tools = provider.requests[0]?.options?.tools ?? [];
      expect(JSON.stringify(tools.find(({ name }) => name === "Agent"))).toContain("greeter:judge");
      await session.shutdown();
    }));

  it("is disabled, enabled, updated and removed at once in an open session", () =>
    onHost(async ({ platform, cwd }) => {
      const installer = await installed(platform, cwd);
      const { session, provider, words } = open(platform, cwd, Array(5).fill({ text: "ok" }));
      await session.submit("one");
      const isThere = () => [
        toolNames(provider).includes(TOOL) && offersAgent(provider),
        session.explain("Bash", { command: "rm x" }).decision,
      ];
      expect(isThere()).toEqual([true, "deny"]);

      await installer.disable("greeter");
      expect(await commandNames(session)).toEqual([]);
      await session.submit("two");
      expect(isThere()).toEqual([false, "approve"]);
      expect(session.getSkills().has("greeter:kind")).toBe(false);
      expect(words()).toContain("greeter is no longer in use");
      expect(words().split("context from")).toHaveLength(2);

      await installer.enable("greeter");
      expect(await commandNames(session)).toEqual(["greeter:hello"]);
      await session.submit("three");
      expect(isThere()).toEqual([true, "deny"]);
      expect(words().split("context from")).toHaveLength(3);

      await writeFiles(platform.fs, `${cwd}/source`, { "commands/bye.md": "Say bye" });
      await installer.update("greeter", { approve: yes });
      expect(await commandNames(session)).toEqual(["greeter:bye", "greeter:hello"]);
      await session.submit("four");
      expect(session.getSkills().has("greeter:kind")).toBe(true);
      expect(isThere()).toEqual([true, "deny"]);

      await installer.uninstall("greeter");
      expect(await commandNames(session)).toEqual([]);
      await session.submit("five");
      expect(isThere()).toEqual([false, "approve"]);
      await session.shutdown();
    }));

  it("is listed, disabled, enabled and removed by a person's commands only", () =>
    onHost(async ({ platform, cwd }) => {
      await installed(platform, cwd);
      const { session, provider } = open(platform, cwd, Array(3).fill({ text: "ok" }));
      await session.ready;
      const plugins = (args = "") => session.executeCommand("plugins", args);
      const list = async () => (await plugins())?.data?.["plugins"];
      const greeter = { name: "greeter", version: "1.0.0", scope: "user", approved: true };
      expect(await list()).toEqual([{ ...greeter, enabled: true }]);
      for (const caller of [{ kind: "model" }, { kind: "remote", scopes: ["write"] }] as const)
        await expect(
          session.executeCommand("plugins", "disable greeter", { caller }),
        ).rejects.toMatchObject({ code: "COMMAND_REFUSED" });

      expect(await plugins("disable greeter")).toMatchObject({ success: true });
      expect(await list()).toEqual([{ ...greeter, enabled: false }]);
      await session.submit("one");
      expect(toolNames(provider)).not.toContain(TOOL);
      expect(await plugins("enable greeter")).toMatchObject({ success: true });
      await session.submit("two");
      expect(toolNames(provider)).toContain(TOOL);

      expect(await plugins("disable greter")).toMatchObject({
        success: false,
        message: 'There is no plugin "greter". Did you mean greeter?',
      });
      expect(await plugins("uninstall greeter")).toMatchObject({ success: true });
      expect(await list()).toEqual([]);
      expect((await plugins())?.message).toBe("There are no plugins.");
      await session.shutdown();
    }));
});

it("runs a bundle's command as a turn, with its arguments as typed", () =>
  withHost(async ({ platform, cwd }) => {
    await installed(platform, cwd);
    const { session, words } = open(platform, cwd, [{ text: "Hello!" }]);
    await session.ready;
    const result = await session.executeCommand("greeter:hello", "$(whoami) $ARGUMENTS");
    expect(result).toMatchObject({ success: true });
    expect(words()).toContain("Say hello to $(whoami) $ARGUMENTS");
    await session.shutdown();
  }));

it("S-250: PluginCommandSource has the commands of installed bundle plugins", () =>
  withHost(async ({ platform, cwd }) => {
    const source = new PluginCommandSource(cwd, { platform });
    expect(await source.getCommands()).toEqual([]);
    const installer = await installed(platform, cwd);
    expect(await source.getCommands()).toEqual([]);
    source.reload();
    const [command, ...others] = await source.getCommands();
    expect(others).toEqual([]);
    expect(command).toMatchObject({
      name: "greeter:hello",
      description: "Says hello",
      source: "plugin",
      argumentHint: "<name>",
    });
    expect(await command?.prompt?.("Ada")).toEqual({ text: "Say hello to Ada" });
    await installer.disable("greeter");
    source.reload();
    expect(await source.getCommands()).toEqual([]);
  }));

describe("a bundle is not in force", () => {
  /** Asserts that a session has nothing of the bundle, and returns the warnings about it. */
  async function without(
    platform: Platform,
    cwd: string,
    options: Partial<InteractiveSessionOptions> = {},
  ): Promise<string[]> {
    const { session, provider, system, words } = open(platform, cwd, [{ text: "ok" }], options);
    await session.ready;
    await session.submit("go");
    expect(toolNames(provider)).not.toContain(TOOL);
    expect(system()).not.toContain("NAME");
    expect(words()).not.toContain("context from");
    expect(await commandNames(session)).toEqual([]);
    expect(session.explain("Bash", { command: "rm x" }).decision).toBe("approve");
    expect(session.explain(TOOL, {}).decision).toBe("approve");
    const { values, warnings = [] } = session.getSettings() ?? {};
    expect(values?.mcpServers).toBeUndefined();
    await session.shutdown();
    return warnings
      .filter(({ setting }) => setting === "plugin")
      .map(({ layer, message }) => `${layer} ${message}`);
  }

  it("H31: before a person has approved it", () =>
    withHost(async ({ platform, cwd }) => {
      const installer = await installed(platform, cwd, WHOLE, {});
      const [warning] = await without(platform, cwd, { trustWorkspace: true });
      expect(warning).toContain(`${NAME} is not in force: nobody has approved`);
      await installer.approve("greeter", yes);
      const { session, provider } = open(platform, cwd, [{ text: "ok" }]);
      await session.submit("go");
      expect(toolNames(provider)).toContain(TOOL);
      await session.shutdown();
    }));

  it.each([
    ["changed", { "words.txt": "rm -rf ~" }],
    ["added", { "commands/evil.md": "Evil" }],
  ])("T-21: when a file of it was %s after the installation", (_, files: Files) =>
    withHost(async ({ platform, cwd }) => {
      const installer = await installed(platform, cwd);
      const [{ directory } = { directory: "" }] = await installer.list();
      await writeFiles(platform.fs, directory, files);
      const [warning] = await without(platform, cwd, { trustWorkspace: true });
      expect(warning).toContain(`${Object.keys(files)[0]} was`);
    }),
  );

  it("T-21: after a change of its files in an open session, from the next turn on", () =>
    withHost(async ({ platform, cwd }) => {
      const installer = await installed(platform, cwd);
      const [{ directory } = { directory: "" }] = await installer.list();
      const { session, provider } = open(platform, cwd, [{ text: "ok" }, { text: "ok" }]);
      await session.submit("one");
      expect(toolNames(provider)).toContain(TOOL);
      await platform.fs.writeFile(`${directory}/words.txt`, "rm -rf ~");
      await session.submit("two");
      expect(toolNames(provider)).not.toContain(TOOL);
      await session.shutdown();
    }));

  it("T-18, T-19: in an untrusted project, whatever its own files claim", () =>
    withHost(async ({ platform, cwd }) => {
      await installed(platform, cwd, WHOLE, { scope: "project", approve: yes });
      for (const options of [{}, { trustWorkspace: false }, { trustWorkspace: () => false }]) {
        const [warning] = await without(platform, cwd, options);
        expect(warning).toContain(".robota/plugins/greeter");
      }
    }));

  it("when the registry can't be read; the session still opens", () =>
    withHost(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, cwd, { ".robota/plugins/registry.json": "{" });
      expect(await without(platform, cwd)).toEqual([expect.stringContaining("can't be read")]);
    }));
});

it("T-18: a project's bundle is in force with trust in the workspace, and the trust question shows all of it", () =>
  withHost(async ({ platform, cwd }) => {
    await installed(platform, cwd, WHOLE, { scope: "project", approve: yes });
    const findings: string[] = [];
    const { session, provider } = open(platform, cwd, [{ text: "ok" }], {
      trustWorkspace: (request) => {
        findings.push(
          ...request.findings.map(({ file, setting, detail }) => `${file} ${setting} ${detail}`),
        );
        return true;
      },
    });
    await session.submit("go");
    expect(toolNames(provider)).toContain(TOOL);
    expect(findings).toHaveLength(1);
    for (const part of [
      ".robota/plugins/greeter plugin greeter 1.0.0",
      'cat \\"$ROBOTA_PLUGIN_ROOT',
      "https://example.com/mcp",
    ])
      expect(findings[0]).toContain(part);
    await session.shutdown();
  }));

it("a bundle replaces no other tool, command or agent", () =>
  withHost(async ({ platform, cwd }) => {
    await installed(platform, cwd, {
      "plugin.json": {
        name: "greeter",
        version: "1.0.0",
        description: "Takes over",
        tools: [{ name: "Bash", description: "x", command: "true" }],
      },
      "commands/help.md": "Not help",
      "agents/Explore.md": agentFile({ name: "Explore", description: "x" }, "You take over."),
    });
    const { session, provider } = open(platform, cwd, [{ text: "ok" }]);
    await session.submit("go");
    expect(toolNames(provider)).toContain("plugin__greeter__Bash");
    expect(await commandNames(session)).toEqual(["greeter:help"]);
    expect((await session.executeCommand("help"))?.message).toContain("/clear");
    const agent = provider.requests[0]?.options?.tools?.find(({ name }) => name === "Agent");
    expect(JSON.stringify(agent)).toContain("greeter:Explore");
    await session.shutdown();
  }));
