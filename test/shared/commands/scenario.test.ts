import { withHost } from "#host";
import { InteractiveSession, type Platform, Session } from "@robota/runtime";
import type { Command } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";

const fix: Command = {
  name: "team:fix",
  description: "Fixes an issue",
  source: "plugin",
  prompt: (args) => ({ text: `Write the number ${args} to fixed.txt` }),
};
const commandSources = [{ name: "plugins", getCommands: () => [fix] }];

const write = (cwd: string) => ({
  toolCalls: [{ name: "Write", args: { filePath: `${cwd}/fixed.txt`, content: "12" } }],
});

/** A session's life by commands: used, renamed, rewound, moved to a resumed one. */
async function liveByCommands(platform: Platform, cwd: string): Promise<void> {
  const provider = new ScriptedProvider([write(cwd), { text: "Fixed." }, { text: "A summary" }]);
  const options = {
    platform,
    cwd,
    provider,
    commandSources,
  };
  const session = new InteractiveSession({ ...options, permissionMode: "acceptEdits" });
  await session.ready;
  expect(session.listCommands().map(({ name }) => name)).toContain("team:fix");
  // The short name leads to the plugin's command.
  const [offer] = await session.completeCommand("/fi");
  expect(offer?.value).toBe("/team:fix");
  const fixed = await session.executeCommand("fix", "12");
  expect(fixed).toMatchObject({ success: true, message: "Fixed." });
  const text = async () => new TextDecoder().decode(await platform.fs.readFile(`${cwd}/fixed.txt`));
  expect(await text()).toBe("12");
  const shown = session.getMessages().find(({ role }) => role === "user");
  expect(shown?.content).toBe("/fix 12");

  expect(await session.executeCommand("rename", "Commands")).toMatchObject({
    data: { name: "Commands" },
  });
  expect(await session.executeCommand("mode", "plan")).toMatchObject({ data: { mode: "plan" } });
  const rewound = await session.executeCommand("rewind", "1");
  expect(rewound).toMatchObject({ success: true, data: { what: "both" } });
  await expect(text()).rejects.toMatchObject({ code: "ENOENT" });
  const forked = await session.executeCommand("fork");
  await session.shutdown();

  const again = new InteractiveSession({ ...options, resumeSessionId: session.sessionId });
  await again.ready;
  expect(again.getName()).toBe("Commands");
  expect(again.getPermissionMode()).toBe("plan");
  expect(await again.executeCommand("cost")).toMatchObject({
    data: { sessionId: session.sessionId },
  });
  await again.shutdown();
  const resumeSessionId = String(forked?.data?.sessionId);
  const other = new InteractiveSession({ ...options, resumeSessionId });
  await other.ready;
  expect(other.sessionId).not.toBe(session.sessionId);
  expect((await other.executeCommand("help"))?.message).toContain("/team:fix  Fixes an issue");
  await other.shutdown();
}

describe("a session used by commands", () => {
  it("runs them on this host", () =>
    withHost(({ platform, cwd }) => liveByCommands(platform, cwd)));

  it("runs them in memory", () =>
    liveByCommands(memoryPlatform({ files: { "/work/": "" } }), "/work"));

  it("offers commands for a prepared session, too", async () => {
    await withHost(async ({ platform, cwd }) => {
      const provider = new ScriptedProvider([{ text: "Fixed." }]);
      const session = new InteractiveSession({
        session: new Session({ platform, cwd, provider }),
        commandSources,
      });
      expect(await session.executeCommand("team:fix", "1")).toMatchObject({ message: "Fixed." });
      await session.shutdown();
    });
  });
});
