import { InteractiveSession, type Platform } from "@robota/runtime";
import { BundlePluginInstaller } from "@robota/runtime/plugins";
import { ScriptedProvider } from "@robota/runtime/testing";
import { withHost } from "#host";
import { describe, expect, it } from "vitest";
import { withMemory } from "../../hosts/memory.ts";
import {
  installerPlatform,
  membersOf,
  type Served,
  writeFiles,
  zipOf,
} from "../../support/bundles/bundle-files.ts";
import type { Files } from "../../support/settings-support.ts";

const manifest = (version: string, more: object = {}) => ({
  name: "greeter",
  version,
  description: "Greets people",
  ...more,
});
const GREETER: Files = {
  "plugin.json": manifest("1.0.0", { permissions: { deny: ["Bash(rm *)"] } }),
  "commands/hello.md": "---\ndescription: Says hello\n---\nSay hello to $ARGUMENTS",
};
const TEAM = "https://team.example.com/marketplace.json";
const PRIVATE = "http://localhost:8123/greeter.zip";

const zipped = (files: Files) => zipOf(membersOf(files));
const index = (name: string, plugins: readonly object[]) =>
  JSON.stringify({ name, owner: { name: "Ada" }, plugins });

function open(host: Platform, cwd: string, served: Served = {}) {
  const { fetch } = installerPlatform(host, served);
  const { pinnedFetch: _, ...rest } = host;
  const platform = { ...rest, fetch };
  const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
  const session = new InteractiveSession({ platform, cwd, provider });
  const run = async (args: string, caller?: Parameters<typeof session.executeCommand>[2]) => {
    const result = await session.executeCommand("plugins", args, caller);
    if (!result) throw new Error("there is no such command");
    return result;
  };
  const installed = async () =>
    (await new BundlePluginInstaller(platform, { cwd }).list()).map(
      ({ name, version, scope, approved }) => [name, version, scope, approved],
    );
  return { platform, session, provider, run, installed };
}

describe.each([
  ["the host", withHost],
  ["memory", withMemory],
])("/plugins, in %s", (_, onHost) => {
  it("installs what a person has seen and confirmed, and updates it the same way", () =>
    onHost(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, `${cwd}/greeter`, GREETER);
      const { session, run, installed } = open(platform, cwd);
      const shown = await run("install ./greeter");
      expect(shown.message).toContain(`Install greeter 1.0.0 from ${cwd}/greeter`);
      expect(shown.message).toContain("Forbids Bash(rm *)");
      expect(shown.message).toContain("Command hello");
      expect(shown.message).toContain("/plugins confirm greeter");
      expect(shown.data).toMatchObject({ name: "greeter", needsConfirmation: true });
      expect(await installed()).toEqual([]);

      const [offer] = await session.completeCommand("/plugins confirm ");
      expect(offer?.value).toBe("greeter");
      expect(await session.completeCommand("/plugins confirm greeter ")).toEqual([]);
      const done = await run("confirm");
      expect(done).toMatchObject({ success: true, data: { name: "greeter", version: "1.0.0" } });
      expect(await installed()).toEqual([["greeter", "1.0.0", "user", true]]);
      expect((await run("")).message).toContain("greeter 1.0.0  in force");
      expect(await run("confirm greeter")).toMatchObject({ success: false });

      expect((await run("update greeter")).message).toBe("greeter 1.0.0 is up to date.");
      await writeFiles(platform.fs, `${cwd}/greeter`, {
        "plugin.json": manifest("1.1.0", { permissions: { allow: ["Bash(ls *)"] } }),
      });
      const changed = await run("update");
      expect(changed.message).toContain("Update greeter from 1.0.0 to 1.1.0");
      expect(changed.message).toContain("Allows without asking Bash(ls *)");
      expect(changed.message).toContain("It removes:\n- Forbids Bash(rm *)");
      expect((await installed())[0]?.[1]).toBe("1.0.0");
      await run("confirm greeter");
      expect(await installed()).toEqual([["greeter", "1.1.0", "user", true]]);
      expect(await run("uninstall greeter")).toMatchObject({ success: true });
      expect(await installed()).toEqual([]);
      await session.shutdown();
    }));

  it("takes the confirmation from another process, for this content alone", () =>
    onHost(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, `${cwd}/greeter`, GREETER);
      const first = open(platform, cwd);
      const { data = {} } = await first.run("install ./greeter --project");
      const command = String(data["command"]).replace(/^plugins /, "");
      expect(command).toMatch(/^install \.\/greeter --project --confirm [0-9a-f]{64}$/);
      await first.session.shutdown();

      await writeFiles(platform.fs, `${cwd}/greeter`, { "commands/other.md": "Something else" });
      const second = open(platform, cwd);
      const refusal = await second.run(command);
      expect(refusal).toMatchObject({ success: false });
      expect(refusal.message).toContain("not the content that was confirmed");
      expect(refusal.message).toContain("Command other");
      expect(await second.installed()).toEqual([]);
      const again = String(refusal.data?.["command"]).replace(/^plugins /, "");
      expect(await second.run(again)).toMatchObject({ success: true, data: { scope: "project" } });
      expect(await second.installed()).toMatchObject([["greeter", "1.0.0", "project", true]]);
      await second.session.shutdown();
    }));

  it("does nothing when the content changes between the look and the yes", () =>
    onHost(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, `${cwd}/greeter`, GREETER);
      const { session, run, installed } = open(platform, cwd);
      await run("install ./greeter");
      await writeFiles(platform.fs, `${cwd}/greeter`, { "commands/evil.md": "Evil" });
      const refusal = await run("confirm greeter");
      expect(refusal.success).toBe(false);
      expect(refusal.message).toBe(
        "greeter is not what was shown any more. Look at it again, and confirm that.",
      );
      expect(await installed()).toEqual([]);
      await session.shutdown();
    }));

  it("finds, installs and updates from marketplaces that a person has added", () =>
    onHost(async ({ platform, cwd }) => {
      const served: Served = {
        [TEAM]: index("team", [
          {
            name: "greeter",
            source: "./greeter.zip",
            version: "1.0.0",
            description: "Greets\nall",
          },
          { name: "other", source: "./other.zip", description: "Says bye" },
        ]),
        "https://team.example.com/greeter.zip": await zipped(GREETER),
      };
      const { session, run, installed } = open(platform, cwd, served);
      expect(await run(`marketplace add ${TEAM}`)).toMatchObject({
        success: true,
        message: "Added: team, with 2 plugins.",
      });
      expect((await run("marketplace")).message).toContain(`team  ${TEAM}`);
      const found = await run("search greet");
      expect(found.message).toContain("greeter@team  1.0.0  Greets\\nall");
      expect(found.message).not.toContain("Says bye");
      expect(found.message).toContain("robota:  The default marketplace can't be reached");

      expect((await run("install greter")).message).toContain("greeter@team");
      expect((await run("install greeter")).message).toContain("pins no content of it");
      await run("confirm greeter");
      // Its marketplace leads to the new version, which another address has.
      served["https://team.example.com/two.zip"] = await zipped({
        ...GREETER,
        "plugin.json": manifest("2.0.0"),
      });
      served[TEAM] = index("team", [{ name: "greeter", source: "./two.zip" }]);
      expect((await run("update greeter")).message).toContain("from 1.0.0 to 2.0.0");
      await run("confirm");
      expect(await installed()).toEqual([["greeter", "2.0.0", "user", true]]);

      expect((await run("marketplace update team")).message).toBe("team  1 plugin");
      const offers = await session.completeCommand("/plugins marketplace remove ");
      expect(offers.map(({ value }) => value)).toEqual(["team"]);
      expect(await run("marketplace remove team")).toMatchObject({ success: true });
      expect((await run("marketplace remove team")).message).toContain("There is no marketplace");
      await session.shutdown();
    }));

  it("approves a plugin that a program has installed without a question", () =>
    onHost(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, `${cwd}/greeter`, GREETER);
      await new BundlePluginInstaller(platform, { cwd }).install("./greeter");
      const { session, run, installed } = open(platform, cwd);
      expect((await run("")).message).toContain("waits for approval");
      expect((await run("approve greeter")).message).toContain("Forbids Bash(rm *)");
      await run("confirm");
      expect(await installed()).toEqual([["greeter", "1.0.0", "user", true]]);
      await session.shutdown();
    }));
});

describe("who may have plugins installed", () => {
  const remote = (...scopes: ("read" | "write" | "privilege")[]) =>
    ({ caller: { kind: "remote", scopes } }) as const;
  const commands = [
    "install ./greeter",
    "update",
    "confirm greeter",
    "approve greeter",
    "marketplace add /market",
    "marketplace remove team",
  ];

  it("is no model, and no remote caller without the scope", () =>
    withMemory(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, `${cwd}/greeter`, GREETER);
      const { session, run, installed } = open(platform, cwd);
      await run("install ./greeter");
      for (const command of commands) {
        const refused = { code: "COMMAND_REFUSED" };
        await expect(run(command, { caller: { kind: "model" } })).rejects.toMatchObject(refused);
        await expect(run(command, remote("read", "write"))).rejects.toMatchObject(refused);
      }
      expect(await installed()).toEqual([]);
      await session.shutdown();
    }));

  it("is a remote caller with the scope, who confirms only what it was shown itself, from public addresses", () =>
    withMemory(async ({ platform, cwd }) => {
      const served = { [PRIVATE]: await zipped(GREETER) };
      const { session, run, installed } = open(platform, cwd, served);
      const all = remote("read", "write", "privilege");
      const refusal = await run(`install ${PRIVATE}`, all);
      expect(refusal).toMatchObject({ success: false });
      await expect(run(`marketplace add ${PRIVATE}`, all)).rejects.toMatchObject({
        code: "COMMAND_REFUSED",
      });
      expect(await run(`install ${PRIVATE}`)).toMatchObject({ success: true });
      expect(await run("confirm greeter", all)).toMatchObject({ success: false });
      expect(await installed()).toEqual([]);
      await run("confirm greeter");
      expect(await installed()).toEqual([["greeter", "1.0.0", "user", true]]);
      await session.shutdown();
    }));
});

it("says what to do about a wrong source, a missing name and an unknown plugin", () =>
  withMemory(async ({ platform, cwd }) => {
    const { session, run } = open(platform, cwd);
    for (const [args, hint] of [
      ["instal ./greeter", "Did you mean install"],
      ["install", "Name a source"],
      ["install not/a/source", "owner/repository@ref"],
      ["install ./nothing", "There is no"],
      ["update nothing", "There is no plugin"],
      ["confirm", "/plugins install <source>"],
      ["marketplace add", "marketplace.json"],
      ["marketplace nonsense", "/plugins marketplace add"],
    ] as const) {
      const { success, message } = await run(args);
      expect([args, success]).toEqual([args, false]);
      expect(message).toContain(hint);
    }
    await session.shutdown();
  }));
