import { join } from "node:path";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { nodePlatform } from "@robota/adapters-node";
import {
  contentText,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Platform,
} from "@robota/runtime";
import type { SessionLogger } from "@robota/runtime/log";
import { BundlePluginInstaller } from "@robota/runtime/plugins";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { installerPlatform, writeFiles } from "../../support/bundles/bundle-files.ts";
import type { Script } from "../../support/settings-support.ts";

const program = (name: string) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, `../../support/mcp/${name}.ts`)],
});
const stdio = program("stdio-server");
const done = { text: "done" };
const call = (name: string, args: Record<string, unknown> = {}) => ({
  toolCalls: [{ name: `mcp__s__${name}`, args: args as Record<string, never> }],
});

interface Opened {
  session: InteractiveSession;
  /** The results of tools that the model was given, in order. */
  results: () => string[];
  servers: () => Promise<unknown>;
}

async function withSession(
  script: Script,
  options: Partial<InteractiveSessionOptions>,
  run: (opened: Opened) => Promise<void>,
  prepare: (platform: Platform, cwd: string) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "robota-mcp-")));
  await using platform = nodePlatform({
    home,
    env: { ...process.env, MY_SECRET: "s3cret", TOKEN: "from-the-environment" },
  });
  await prepare(platform, home);
  const provider = new ScriptedProvider(script);
  const session = new InteractiveSession({
    platform,
    cwd: home,
    provider,
    trackFiles: false,
    permissionMode: "bypassPermissions",
    // A process may take long to start on a busy machine.
    mcp: { waitMs: 120_000 },
    ...options,
  });
  const results = (): string[] =>
    (provider.requests.at(-1)?.messages ?? [])
      .filter(({ role }) => role === "tool")
      .map(({ content }) => contentText(content));
  const servers = async () => (await session.executeCommand("mcp"))?.data?.["servers"];
  try {
    await run({ session, results, servers });
  } finally {
    await session.shutdown();
    await rm(home, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("starts a server as a process, and ends it with everything that it started when the session ends", async () => {
  let pids: number[] = [];
  await withSession(
    [call("pid"), call("spawn"), done],
    { mcpServers: { s: stdio } },
    async ({ session, results, servers }) => {
      await session.submit("go");
      pids = results().map(Number);
      expect(pids.map(isRunning)).toEqual([true, true]);
      expect(await servers()).toMatchObject([
        { name: "s", state: "connected", protocol: "2026-07-28" },
      ]);
    },
  );
  expect(pids).toHaveLength(2);
  // Ended already, but the machine's first process has yet to collect the orphan.
  await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
});

it("starts one that ends at a protocol it does not know, in the one that it knows", () =>
  withSession(
    [call("age"), done],
    { mcpServers: { s: program("old-server") } },
    async ({ session, results, servers }) => {
      await session.submit("go");
      expect(results()).toEqual(["old"]);
      expect(await servers()).toMatchObject([{ state: "connected", protocol: "2025-06-18" }]);
    },
  ));

it("gives it the variables of every command and its own, and no others", () =>
  withSession(
    [call("variables", { names: ["PATH", "MY_SECRET", "LEVEL", "OWN_TOKEN"] }), done],
    {
      settings: {
        mcpServers: { s: { ...stdio, env: { LEVEL: "quiet", OWN_TOKEN: "$ENV:TOKEN" } } },
      },
    },
    async ({ session, results }) => {
      await session.submit("go");
      expect(results()).toEqual([`${process.env["PATH"]} - quiet from-the-environment`]);
    },
  ));

it("keeps its error output in the diagnostic log, without secrets", async () => {
  const entries: { event: string; data: unknown }[] = [];
  const logger: SessionLogger = {
    log: (_id, event, data) => void entries.push({ event, data }),
    flush: async () => undefined,
  };
  await withSession([done], { mcpServers: { s: stdio }, logger }, async ({ session }) => {
    await session.submit("go");
    await expect.poll(() => entries.filter(({ event }) => event === "mcp_stderr")).toHaveLength(1);
  });
  const text = JSON.stringify(entries.filter(({ event }) => event === "mcp_stderr"));
  expect(text).toContain("started with");
  expect(text).not.toContain("sk-ant-api03-aaaa");
});

it("goes on when the log can't take its error output", async () => {
  let failures = 0;
  const logger: SessionLogger = {
    log: async (_id, event) => {
      if (event !== "mcp_stderr") return;
      failures += 1;
      throw new Error("The disk is full");
    },
    flush: async () => undefined,
  };
  await withSession([done], { mcpServers: { s: stdio }, logger }, async ({ session }) => {
    expect((await session.submit("go")).state).toBe("complete");
    await expect.poll(() => failures).toBe(1);
  });
});

it("fails the call in which it dies, and starts it again for the next", () =>
  withSession(
    [call("pid"), call("die"), call("pid"), done],
    { mcpServers: { s: stdio } },
    async ({ session, results }) => {
      expect((await session.submit("go")).state).toBe("complete");
      const [first, died, second] = results();
      expect(died).toMatch(/closed|ended/i);
      expect(Number(second)).toBeGreaterThan(0);
      expect(second).not.toBe(first);
    },
  ));

it("goes on without one that can't be started, and says why", () =>
  withSession(
    [done, done],
    {
      mcpServers: {
        s: { ...stdio, env: { ALWAYS_FAILS: "1" } },
        missing: { command: "no-such-program-anywhere" },
      },
    },
    async ({ session }) => {
      expect((await session.submit("go")).state).toBe("complete");
      const doctor = await session.executeCommand("doctor");
      expect(doctor?.message).toMatch(/MCP server s: failed.*It wrote: started with/);
      expect(doctor?.message).toMatch(/MCP server missing: failed.*no-such-program-anywhere/);
      expect(doctor?.message).not.toContain("sk-ant-api03-aaaa");
      expect((await session.submit("again")).state).toBe("complete");
    },
  ));

it.each([true, false])(
  "starts the server of a project's .mcp.json only in a trusted workspace (%s), without the environment",
  (trustWorkspace) =>
    withSession(
      [call("variables", { names: ["LEVEL", "OWN"] }), done],
      { trustWorkspace },
      async ({ session, results, servers }) => {
        await session.submit("go");
        if (trustWorkspace) expect(results()).toEqual(["quiet none"]);
        else expect(results()).not.toEqual(["quiet none"]);
        expect(await servers()).toMatchObject(trustWorkspace ? [{ state: "connected" }] : []);
      },
      (platform, cwd) => {
        const env = { LEVEL: "${LEVEL:-quiet}", OWN: "${MY_SECRET:-none}" };
        const mcpServers = { s: { type: "stdio", ...stdio, env } };
        return writeFiles(platform.fs, cwd, { ".mcp.json": { mcpServers } });
      },
    ),
);

it("starts the server of an approved plugin, which finds the plugin's files", async () => {
  let shown = "";
  await withSession(
    [call("variables", { names: ["CLAUDE_PLUGIN_ROOT", "DATA"] }), done],
    {},
    async ({ session, results }) => {
      await session.submit("go");
      const [root, data] = results()[0]?.split(" ") ?? [];
      expect(root).toMatch(/\/\.robota\/plugins\/greeter/);
      expect(data).toBe(`${root}/data`);
    },
    async (platform, cwd) => {
      const server = { ...stdio, env: { DATA: "${CLAUDE_PLUGIN_ROOT}/data" } };
      await writeFiles(platform.fs, `${cwd}/source`, {
        "plugin.json": { name: "greeter", version: "1.0.0", description: "Greets people" },
        ".mcp.json": { mcpServers: { s: server } },
      });
      const installer = new BundlePluginInstaller(installerPlatform(platform), { cwd });
      await installer.install("./source", {
        approve: ({ text }) => {
          shown = text;
          return true;
        },
      });
    },
  );
  expect(shown).toContain(process.execPath);
  expect(shown).toContain("${PLUGIN_ROOT}/data");
});
