import { InteractiveSession } from "@robota/runtime";
import type { WorkspaceTrustRequest } from "@robota/runtime/settings";
import { ScriptedProvider } from "@robota/runtime/testing";
import { withHost } from "#host";
import { expect, it } from "vitest";
import { writeFiles } from "../../support/bundles/bundle-files.ts";
import type { Files } from "../../support/settings-support.ts";

const SECRETS = new Set(["KEY", "LEVEL", "MODE", "HOST"]);

/** The servers of a workspace with these files, and what was asked about them. */
async function servers(files: Files, isTrusted: boolean) {
  let result: unknown;
  const findings: WorkspaceTrustRequest["findings"][number][] = [];
  await withHost(async ({ platform, cwd }) => {
    await writeFiles(platform.fs, cwd, files);
    const session = new InteractiveSession({
      platform: { ...platform, env: (name) => (SECRETS.has(name) ? "a secret" : undefined) },
      cwd,
      provider: new ScriptedProvider([{ text: "done" }]),
      trustWorkspace: (request) => {
        findings.push(...request.findings);
        return isTrusted;
      },
      trackFiles: false,
    });
    await session.ready;
    const settings = session.getSettings();
    result = {
      servers: settings?.values.mcpServers,
      warnings: settings?.warnings
        .filter(({ layer }) => layer === ".mcp.json")
        .map(({ setting, message }) => `${setting} ${message}`),
    };
    await session.shutdown();
  });
  return { ...(result as { servers: unknown; warnings: string[] }), findings };
}

const SHARED: Files = {
  ".mcp.json": {
    mcpServers: {
      files: {
        type: "stdio",
        command: "my-server",
        args: ["--level", "${LEVEL:-quiet}"],
        env: { MODE: "${MODE:-}" },
      },
      web: {
        type: "http",
        url: "https://${HOST:-mcp.example}/mcp",
        headers: { "x-team": "a" },
      },
      keyed: {
        type: "http",
        url: "https://b.example",
        headers: { authorization: "Bearer ${KEY}" },
      },
      former: { type: "sse", url: "https://c.example/sse" },
    },
  },
};

it("has the servers of a project's .mcp.json once it is trusted, with the defaults of variables", async () => {
  const { servers: found, warnings, findings } = await servers(SHARED, true);
  expect(found).toEqual({
    files: { command: "my-server", args: ["--level", "quiet"], env: { MODE: "" } },
    web: { url: "https://mcp.example/mcp", headers: { "x-team": "a" } },
  });
  expect(findings.map(({ file, setting }) => `${file} ${setting}`)).toEqual([
    ".mcp.json mcpServers.files",
    ".mcp.json mcpServers.web",
  ]);
  expect(findings[0]?.detail).toContain("my-server");
  expect(warnings).toEqual([
    expect.stringContaining("mcpServers.keyed is left out: it needs ${KEY}"),
    expect.stringContaining("mcpServers.former is left out"),
  ]);
  expect(JSON.stringify([found, findings, warnings])).not.toContain("a secret");
});

it("has none of them in a workspace that is not trusted", async () => {
  const { servers: found, warnings } = await servers(SHARED, false);
  expect(found).toBeUndefined();
  expect(warnings).toContainEqual(expect.stringMatching(/mcpServers\.files .*trust/));
});

it("keeps a server of the project's own settings before one of the same name", async () => {
  const own = { mcpServers: { web: { url: "https://own.example/mcp" } } };
  const { servers: found } = await servers({ ...SHARED, ".robota/settings.json": own }, true);
  expect(found).toMatchObject({ web: own.mcpServers.web, files: { command: "my-server" } });
});

it("says what is wrong with a server that can't be one", async () => {
  const files = { ".mcp.json": { mcpServers: { a: { command: 5 } } } };
  await expect(servers(files, true)).rejects.toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: expect.stringContaining("mcpServers.a.command"),
  });
});
