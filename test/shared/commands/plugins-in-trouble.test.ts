import { InteractiveSession, type Platform } from "@robota/runtime";
import { BundlePluginInstaller } from "@robota/runtime/plugins";
import { ScriptedProvider } from "@robota/runtime/testing";
import { withHost } from "#host";
import { expect, it } from "vitest";
import {
  installerPlatform,
  membersOf,
  type Served,
  writeFiles,
  zipOf,
} from "../../support/bundles/bundle-files.ts";
import type { Files } from "../../support/settings-support.ts";

const PRIVATE = "http://localhost:8123/greeter.zip";
const greeter = (version: string): Files => ({
  "plugin.json": { name: "greeter", version, description: "Greets people" },
  "commands/hello.md": "Say hello",
});

function open(host: Platform, cwd: string, served: Served = {}) {
  const { fetch } = installerPlatform(host, served);
  const { pinnedFetch: _, ...rest } = host;
  const platform = { ...rest, fetch };
  const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
  const session = new InteractiveSession({ platform, cwd, provider, trustWorkspace: true });
  const run = async (args: string) => (await session.executeCommand("plugins", args))?.message;
  const warnings = () => session.getSettings()?.warnings.map(({ message }) => message);
  return { session, run, warnings, installer: new BundlePluginInstaller(platform, { cwd }) };
}

const yes = { approve: () => true };

it("a plugin whose files were damaged is put in place again by an update, with a yes", () =>
  withHost(async ({ platform, cwd }) => {
    await writeFiles(platform.fs, `${cwd}/greeter`, greeter("1.0.0"));
    const { session, run, warnings, installer } = open(platform, cwd);
    const { directory } = await installer.install("./greeter", yes);
    await writeFiles(platform.fs, directory, { "commands/hello.md": "Say nothing" });
    await session.submit("one");
    expect(warnings()).toEqual([expect.stringContaining("commands/hello.md was changed")]);
    const shown = await run("update greeter");
    expect(shown).toContain("Its installed files are not those that were approved");
    expect(shown).toContain("Command hello");
    expect(await run("confirm greeter")).toContain("Installed: greeter 1.0.0");
    await session.submit("two");
    expect(warnings()).toEqual([]);
    expect(session.listCommands().map(({ name }) => name)).toContain("greeter:hello");
    expect(await run("update greeter")).toBe("greeter 1.0.0 is up to date.");
    await session.shutdown();
  }));

it("a plugin of the project is told from a person's of the same name", () =>
  withHost(async ({ platform, cwd }) => {
    await writeFiles(platform.fs, `${cwd}/greeter`, greeter("1.0.0"));
    const { session, run, installer } = open(platform, cwd);
    for (const scope of ["user", "project"] as const)
      await installer.install("./greeter", { ...yes, scope });
    expect(await run("disable greeter --project")).toBe("Disabled: greeter 1.0.0 (project)");
    const states = async () => (await installer.list()).map(({ enabled }) => enabled);
    expect(await states()).toEqual([true, false]);
    expect(await run("disable greeter")).toBe("Disabled: greeter 1.0.0");
    expect(await states()).toEqual([false, false]);
    expect(await run("enable greeter --project")).toBe("Enabled: greeter 1.0.0 (project)");
    expect(await run("uninstall greeter --project")).toBe("Removed: greeter 1.0.0 (project)");
    expect(await run("disable greeter --project")).toContain("There is no plugin");
    expect(await states()).toEqual([false]);
    await session.shutdown();
  }));

it("a project's list that can't be read is reported, and keeps nobody from a person's plugins", () =>
  withHost(async ({ platform, cwd }) => {
    await writeFiles(platform.fs, `${cwd}/greeter`, greeter("1.0.0"));
    const { session, run, installer } = open(platform, cwd);
    await installer.install("./greeter", yes);
    await writeFiles(platform.fs, `${cwd}/.robota/plugins`, { "registry.json": "{" });
    const why = `${cwd}/.robota/plugins/registry.json can't be read`;
    const list = await run("");
    expect(list).toContain("greeter 1.0.0  in force");
    expect(list).toContain(why);
    const updated = await run("update");
    expect(updated).toContain("greeter 1.0.0 is up to date.");
    expect(updated).toContain(why);
    const offers = await session.completeCommand("/plugins disable ");
    expect(offers.map(({ value }) => value)).toEqual(["greeter"]);
    expect(await run("disable greeter")).toBe("Disabled: greeter 1.0.0");
    expect(await run("uninstall greeter")).toBe("Removed: greeter 1.0.0");
    expect(await run("disable greeter")).toContain(why);
    await session.shutdown();
  }));

it("a project's list that is no file does not keep a session from working", () =>
  withHost(async ({ platform, cwd }) => {
    await writeFiles(platform.fs, `${cwd}/.robota/plugins/registry.json`, { "no-file": "" });
    const { session, run, warnings } = open(platform, cwd);
    expect(await session.submit("one")).toMatchObject({ state: "complete" });
    expect(warnings()).toEqual([expect.stringContaining("can't be read")]);
    expect(await run("")).toContain("registry.json");
    await session.shutdown();
  }));

it("a plugin from a private address that a person has named is updated from there", () =>
  withHost(async ({ platform, cwd }) => {
    const served: Served = { [PRIVATE]: await zipOf(membersOf(greeter("1.0.0"))) };
    const { session, run, installer } = open(platform, cwd, served);
    await run(`install ${PRIVATE}`);
    await run("confirm greeter");
    served[PRIVATE] = await zipOf(membersOf(greeter("1.1.0")));
    expect(await run("update greeter")).toContain("Update greeter from 1.0.0 to 1.1.0");
    await run("confirm greeter");
    expect(await installer.list()).toMatchObject([{ version: "1.1.0", approved: true }]);
    await session.shutdown();
  }));

it("a private address in a project's list is none that a person has named", () =>
  withHost(async ({ platform, cwd }) => {
    const served: Served = { [PRIVATE]: await zipOf(membersOf(greeter("1.1.0"))) };
    const { session, run, installer } = open(platform, cwd, served);
    await writeFiles(platform.fs, `${cwd}/greeter`, greeter("1.0.0"));
    await installer.install("./greeter", { ...yes, scope: "project" });
    const file = `${cwd}/.robota/plugins/registry.json`;
    const list = new TextDecoder().decode(await platform.fs.readFile(file));
    await platform.fs.writeFile(file, list.replace(`${cwd}/greeter`, PRIVATE));
    expect(await run("update")).toContain("can't be updated");
    await session.shutdown();
  }));
