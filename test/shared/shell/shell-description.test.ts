import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { expect, it } from "vitest";
import { withHost } from "#host";
import { expectDescribed } from "../../support/described-commands.ts";

it("describes the host's shell to a session's model", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ text: "ok" }]);
    await using session = new InteractiveSession({ platform, cwd, provider });
    await session.submit("Go on");
    const bash = provider.requests[0]?.options.tools?.find(({ name }) => name === "Bash");
    const description = platform.shell.describe?.();
    expect(description).toMatch(/\bbash\b/);
    expect(bash?.description).toContain(description);
    if (platform.shell.kind === "virtual") await expectDescribed(platform.shell, cwd);
    else expect(description).toContain("on this machine");
  }));

it("describes a virtual shell as configured, also over other files", async () => {
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  await expectDescribed(new VirtualShell({ fs }), "/code");
  const shell = new VirtualShell({
    fs,
    fetch: () => Promise.reject(new Error("unused")),
    git: { fetch: () => Promise.reject(new Error("unused")) },
    customCommands: [{ name: "deploy", run: () => ({ stdout: "" }) }],
  });
  await expectDescribed(shell, "/code");
  expect(shell.describe()).toContain("git, also over the network; curl; deploy;");
  expect(shell.over(fs).describe?.()).toBe(shell.describe());
  expect(new VirtualShell({ fs }).describe()).toContain("git, without a network;");
});
