import { withHost } from "#host";
import { contentText, InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { CWD, type Files, hostWith, openSession } from "../../support/settings-support.ts";

const FIX = `---
description: Fixes an issue
argument-hint: [issue] [priority]
allowed-tools: Bash(git status), Read
---
Fix issue $1 with priority $2. All: $ARGUMENTS
!\`touch executed\` and @secrets.txt stay as they are.
`;
const TRUST = { trustWorkspace: true } as const;

/** The commands of the files, without the built-in ones. */
async function listed(files: Files, options = {}): Promise<string[]> {
  const { session } = openSession(hostWith(files), options);
  await session.ready;
  const commands = await session.getCommands();
  await session.shutdown();
  return commands.filter(({ source }) => source !== "builtin").map(({ name }) => name);
}

describe("command files", () => {
  it("come from four directories, with a namespace for each folder", async () => {
    const files = {
      [`${CWD}/.robota/commands/one.md`]: "One",
      [`${CWD}/.claude/commands/frontend/fix.md`]: FIX,
      [`${CWD}/.claude/commands/a/b/deep.md`]: "Deep",
      [`${CWD}/.claude/commands/notes.txt`]: "None",
      "~/.robota/commands/mine.md": "Mine",
      "~/.claude/commands/team/too.md": "Mine, too",
    };
    expect(await listed(files, TRUST)).toEqual([
      "one",
      "a:b:deep",
      "frontend:fix",
      "mine",
      "team:too",
    ]);
  });

  it("of the project come first, and those with a built-in name are skill:name", async () => {
    const files = {
      [`${CWD}/.claude/commands/clear.md`]: "Clear the table",
      [`${CWD}/.robota/commands/same.md`]: "Of the project",
      "~/.robota/commands/same.md": "Of the person",
    };
    const { session } = openSession(hostWith(files), TRUST);
    expect(await session.prepareCommand("same")).toMatchObject({
      prompt: { text: expect.stringContaining("Of the project") as string },
    });
    expect(await session.executeCommand("clear")).toMatchObject({
      message: "The conversation is empty.",
    });
    expect(await session.prepareCommand("skill:clear")).toMatchObject({
      prompt: { text: expect.stringContaining("Clear the table") as string },
    });
    await session.shutdown();
  });

  it("of a project wait for trust, and so do those that a turn wrote at home", async () => {
    const files = {
      [`${CWD}/.robota/commands/one.md`]: "One",
      [`${CWD}/.claude/commands/frontend/fix.md`]: FIX,
      "~/.claude/commands/mine.md": "Mine",
    };
    expect(await listed(files)).toEqual(["mine"]);
    expect(await listed(files, { trustWorkspace: () => false })).toEqual(["mine"]);

    const platform = hostWith({});
    const path = "/home/user/.claude/commands/team/late.md";
    const write = { name: "Write", args: { filePath: path, content: "Obey" } };
    const { session } = openSession(
      platform,
      { permissionMode: "bypassPermissions", permissionHandler: () => true },
      [{ toolCalls: [write] }, { text: "ok" }],
    );
    await session.submit("go");
    expect(new TextDecoder().decode(await platform.fs.readFile(path))).toBe("Obey");
    await session.shutdown();
    const next = openSession(platform);
    expect(await next.session.executeCommand("team:late")).toBeNull();
    await next.session.shutdown();
  });

  it("that are invalid are warnings, and links out of the project are not followed", async () => {
    const platform = hostWith({
      [`${CWD}/.claude/commands/bad name.md`]: "x",
      [`${CWD}/.claude/commands/no:colon.md`]: "x",
      "/elsewhere/secret.md": "A secret",
      "/elsewhere/folder/inner.md": "A secret",
    });
    await platform.fs.symlink("/elsewhere/secret.md", `${CWD}/.claude/commands/link.md`);
    await platform.fs.symlink("/elsewhere/folder", `${CWD}/.claude/commands/folder`);
    const { session } = openSession(platform, TRUST);
    await session.ready;
    const warned = session.getSettings()?.warnings.map(({ layer }) => layer) ?? [];
    expect(warned.toSorted()).toEqual([".claude/commands/bad name.md", ".claude/commands/link.md"]);
    expect(await session.executeCommand("link")).toBeNull();
    await session.shutdown();
  });

  it("insert their arguments as text, on this host", () =>
    withHost(async ({ platform, cwd }) => {
      await platform.fs.mkdir(`${cwd}/.claude/commands/frontend`, { recursive: true });
      await platform.fs.writeFile(`${cwd}/.claude/commands/frontend/fix.md`, FIX);
      const provider = new ScriptedProvider([{ text: "Fixed." }]);
      const session = new InteractiveSession({ platform, cwd, provider, ...TRUST });
      await session.ready;
      expect(session.listCommands()).toContainEqual({
        name: "frontend:fix",
        description: "Fixes an issue",
      });
      const [offer] = await session.completeCommand("/fix");
      expect(offer).toMatchObject({
        value: "/frontend:fix",
        argumentHint: "[issue] [priority]",
      });
      const result = await session.executeCommand("fix", "12 'very $1 high'");
      expect(result).toMatchObject({ success: true, message: "Fixed." });
      const sent = contentText(provider.requests[0]?.messages.at(-1)?.content ?? "");
      expect(sent).toContain("Fix issue 12 with priority very $1 high. All: 12 'very $1 high'");
      expect(sent).toContain("!`touch executed` and @secrets.txt stay as they are.");
      await expect(platform.fs.stat(`${cwd}/executed`)).rejects.toMatchObject({ code: "ENOENT" });
      await session.shutdown();
    }));
});
