import type { FileSystem } from "@robota/runtime";
import type { IBundlePluginManifest, ILoadedBundlePlugin } from "@robota/runtime/compat";
import { BundlePluginLoader, type LoadedBundlePlugin } from "@robota/runtime/plugins";
import { withHost } from "#host";
import { describe, expect, expectTypeOf, it } from "vitest";
import { agentFile } from "../../support/agent-support.ts";
import { writeFiles } from "../../support/bundles/bundle-files.ts";
import type { Files } from "../../support/settings-support.ts";

const MANIFEST = {
  name: "greeter",
  version: "1.2.0",
  description: "Greets people",
  author: "Ada",
  keywords: ["hello", "people"],
};
const HOOK = { matcher: "Write", hooks: [{ type: "command", command: "true" }] };

const WHOLE: Files = {
  "plugin.json": {
    ...MANIFEST,
    systemPrompt: "Greet everybody by name.",
    permissions: { allow: ["Bash(date)"], deny: ["Bash(rm *)"], ask: ["WebFetch"] },
    tools: [
      {
        name: "greet",
        description: "Greets somebody",
        command: 'read -r line; echo "got $line"',
        parameters: { type: "object", properties: { name: { type: "string" } } },
      },
    ],
  },
  "hooks/hooks.json": { hooks: { PreToolUse: [HOOK] } },
  ".mcp.json": {
    mcpServers: {
      remote: { url: "https://example.com/mcp", headers: { "x-team": "a" } },
      local: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/server.js"] },
      keyed: { url: "https://example.com/mcp", headers: { authorization: "${KEY}" } },
    },
  },
  "commands/hello.md": "---\ndescription: Says hello\n---\nSay hello to $ARGUMENTS",
  "commands/git/tidy.md": "Tidy the branches",
  "skills/polite/SKILL.md": "---\nname: polite\ndescription: Be polite\n---\nSay please.",
  "agents/reviewer.md": agentFile({ description: "Reviews" }, "You review."),
};

async function load(fs: FileSystem, directory: string, files: Files): Promise<LoadedBundlePlugin> {
  await writeFiles(fs, directory, files);
  return new BundlePluginLoader({ fs }).load(directory);
}

/** The error of a bundle with these files. */
async function refused(files: Files): Promise<unknown> {
  let error: unknown;
  await withHost(async ({ platform, cwd }) => {
    error = await load(platform.fs, `${cwd}/b`, files).catch((reason: unknown) => reason);
  });
  return error;
}

it("S-283: a manifest has a name, a version, a description, an author and keywords", () =>
  withHost(async ({ platform, cwd }) => {
    const { manifest } = await load(platform.fs, `${cwd}/b`, { "plugin.json": MANIFEST });
    expect(manifest).toEqual(MANIFEST);
    expectTypeOf(manifest).toExtend<IBundlePluginManifest>();
    expectTypeOf<IBundlePluginManifest>().toExtend<{
      name: string;
      version: string;
      description: string;
      author?: string;
      keywords?: readonly string[];
    }>();
  }));

it("S-284, S-285: a loaded bundle is its manifest, tools, hooks, permissions and system prompt", () =>
  withHost(async ({ platform, cwd }) => {
    const bundle: ILoadedBundlePlugin = await load(platform.fs, `${cwd}/b`, WHOLE);
    expect(bundle).toMatchObject({
      manifest: MANIFEST,
      tools: [
        { name: "plugin__greeter__greet", description: "Greets somebody", access: "execute" },
      ],
      hooks: { PreToolUse: [HOOK] },
      permissions: { allow: ["Bash(date)"], deny: ["Bash(rm *)"], ask: ["WebFetch"] },
      systemPrompt: "Greet everybody by name.",
    });
  }));

it("has skills, commands, agents and MCP servers besides, and lists the omitted parts", () =>
  withHost(async ({ platform, cwd }) => {
    const bundle = await load(platform.fs, `${cwd}/b`, WHOLE);
    expect(bundle.commands?.map(({ name, description }) => [name, description])).toEqual([
      ["git:tidy", "Tidy the branches"],
      ["hello", "Says hello"],
    ]);
    expect(bundle.skills).toMatchObject([{ name: "polite", text: "Say please." }]);
    expect(bundle.agents).toMatchObject([{ name: "reviewer", systemPrompt: "You review." }]);
    expect(bundle.mcpServers).toEqual({
      remote: { url: "https://example.com/mcp", headers: { "x-team": "a" } },
      local: {
        command: "node",
        args: [`${bundle.directory}/server.js`],
        env: { CLAUDE_PLUGIN_ROOT: bundle.directory, ROBOTA_PLUGIN_ROOT: bundle.directory },
      },
    });
    expect(bundle.warnings).toEqual([
      { file: ".mcp.json", message: expect.stringContaining("keyed is left out: it needs ${KEY}") },
    ]);
  }));

it("loads Claude Code's layout, whose manifest only needs a name", () =>
  withHost(async ({ platform, cwd }) => {
    const bundle = await load(platform.fs, `${cwd}/b`, {
      ".claude-plugin/plugin.json": {
        name: "tools",
        author: { name: "Ada", email: "ada@example.com" },
        commands: ["./extra/one.md"],
        hooks: "./config/hooks.json",
        unknown: true,
      },
      "commands/two.md": "Two",
      "extra/one.md": "One",
      "config/hooks.json": {
        hooks: {
          Stop: [{ hooks: [{ type: "command", command: '"${CLAUDE_PLUGIN_ROOT}"/stop.sh' }] }],
          WorktreeCreate: [],
        },
      },
    });
    expect(bundle.manifest).toEqual({
      name: "tools",
      version: "0.0.0",
      description: "",
      author: "Ada",
    });
    expect(bundle.commands?.map(({ name }) => name)).toEqual(["two", "one"]);
    const [stop] = bundle.hooks?.Stop ?? [];
    expect(stop?.hooks[0]).toMatchObject({
      command: `export ROBOTA_PLUGIN_ROOT='${cwd}/b' CLAUDE_PLUGIN_ROOT='${cwd}/b'\n"\${CLAUDE_PLUGIN_ROOT}"/stop.sh`,
    });
    expect(bundle.warnings).toEqual([
      { file: "config/hooks.json", message: expect.stringContaining("WorktreeCreate") },
    ]);
  }));

it("runs a tool's command in the session's shell, with the arguments on stdin", () =>
  withHost(async ({ platform, cwd }) => {
    const { tools } = await load(platform.fs, `${cwd}/b`, WHOLE);
    const args = { name: "$(touch owned); `touch owned`" };
    const context = {
      platform,
      cwd,
      signal: new AbortController().signal,
      toolCallId: "1",
      ownerPath: [],
      emit: () => undefined,
      state: new Map(),
      memory: { get: () => undefined, set: () => undefined },
    };
    const result = await tools?.[0]?.execute(args, context);
    expect(result).toMatchObject({ success: true, output: `got ${JSON.stringify(args)}` });
    await expect(platform.fs.stat(`${cwd}/owned`)).rejects.toMatchObject({ code: "ENOENT" });
  }));

describe("names the file and the field of an invalid value", () => {
  const manifest = (change: object): Files => ({ "plugin.json": { ...MANIFEST, ...change } });
  it.each<[string, Files, { file?: string; field?: string }]>([
    ["no manifest", { "readme.md": "x" }, {}],
    ["no JSON", { "plugin.json": '{ "name": ' }, { file: "plugin.json" }],
    ["a name twice", { "plugin.json": '{"name":"a","name":"b"}' }, { file: "plugin.json" }],
    ["no name", manifest({ name: undefined }), { file: "plugin.json", field: "name" }],
    ["a name with a slash", manifest({ name: "../x" }), { field: "name" }],
    ["a name with capitals", manifest({ name: "Greeter" }), { field: "name" }],
    ["a reserved name", manifest({ name: "mcp" }), { field: "name" }],
    ["no version", manifest({ version: undefined }), { field: "version" }],
    ["a version that is none", manifest({ version: "latest" }), { field: "version" }],
    ["no description", manifest({ description: undefined }), { field: "description" }],
    ["keywords that are no words", manifest({ keywords: [1] }), { field: "keywords[0]" }],
    [
      "a rule that is none",
      manifest({ permissions: { deny: ["Bash("] } }),
      { field: "permissions.deny[0]" },
    ],
    ["a tool without a command", manifest({ tools: [{ name: "x" }] }), { field: "tools[0]" }],
    ["a path that leads out", manifest({ commands: "./../x" }), { field: "commands" }],
    ["a path from the root", manifest({ hooks: "/etc/hooks.json" }), { field: "hooks" }],
    [
      "a hook without a command",
      {
        ...manifest({}),
        "hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "command" }] }] } },
      },
      { file: "hooks/hooks.json", field: "Stop[0].hooks[0].command" },
    ],
    [
      "a function as a hook",
      manifest({ hooks: { Stop: [{ hooks: [{ type: "function", run: "x" }] }] } }),
      { file: "plugin.json", field: "Stop[0].hooks[0].run" },
    ],
    [
      "a server with a password",
      { ...manifest({}), ".mcp.json": { mcpServers: { a: { url: "https://u:p@x.example" } } } },
      { file: ".mcp.json", field: "mcpServers.a.url" },
    ],
    [
      "an API description that is none",
      { ...manifest({ tools: [{ openapi: "./api.json" }] }), "api.json": "{}" },
      { file: "api.json" },
    ],
    [
      "a command that is no text",
      { ...manifest({ tools: [{ openapi: "./none.json" }] }) },
      { file: "none.json" },
    ],
  ])("%s", async (_, files, place) => {
    const error = await refused(files);
    expect(error).toMatchObject({ name: "BundleError", code: "BUNDLE_INVALID", ...place });
    expect(error).toMatchObject({ hint: expect.stringMatching(/\w/) });
  });
});

it("reads no bundle through a link", () =>
  withHost(async ({ platform, cwd }) => {
    await writeFiles(platform.fs, `${cwd}/b`, { "plugin.json": MANIFEST });
    await platform.fs.symlink("/etc", `${cwd}/b/commands`);
    const loading = new BundlePluginLoader({ fs: platform.fs }).load(`${cwd}/b`);
    await expect(loading).rejects.toMatchObject({ code: "BUNDLE_UNSAFE" });
  }));
