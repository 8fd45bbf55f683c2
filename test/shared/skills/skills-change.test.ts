import { withHost } from "#host";
import {
  contentText,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Platform,
} from "@robota/runtime";
import { BundlePluginInstaller } from "@robota/runtime/plugins";
import type { WorkspaceTrustRequest } from "@robota/runtime/settings";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { withMemory } from "../../hosts/memory.ts";
import { writeFiles } from "../../support/bundles/bundle-files.ts";
import { hostWith, type Script } from "../../support/settings-support.ts";
import { skillCall, skillFile, toolResults } from "./skill-support.ts";

function open(
  platform: Platform,
  cwd: string,
  script: Script,
  options: Partial<InteractiveSessionOptions> = {},
) {
  const provider = new ScriptedProvider(script);
  const given = { platform, cwd, provider, trackFiles: false, ...options };
  const session = new InteractiveSession(given);
  /** The last prompt, with what hooks have added. */
  const prompt = () =>
    contentText(
      provider.requests.at(-1)?.messages.findLast(({ role }) => role === "user")?.content ?? "",
    );
  const tools = () => (provider.requests.at(-1)?.options.tools ?? []).map(({ name }) => name);
  return { session, provider, prompt, tools };
}

/** A member of an object behind a proxy. */
function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key);
  return typeof value === "function" ? (value.bind(target) as unknown) : value;
}

describe("a person's skills in an open session", () => {
  it("come, change and go with their files, from the next turn on", async () => {
    const platform = hostWith({});
    const { session, prompt, tools } = open(platform, "/work", [
      { text: "none yet" },
      { toolCalls: [skillCall("tidy")] },
      { text: "tidied" },
      { text: "tidied again" },
      { text: "unchanged" },
      { text: "gone" },
    ]);
    await session.submit("before");
    expect(tools()).not.toContain("Skill");
    expect(session.listCommands().map(({ name }) => name)).not.toContain("tidy");

    const write = (body: string) =>
      writeFiles(platform.fs, "/home/user/.robota/skills/tidy", {
        "SKILL.md": skillFile({ description: "Tidies UP" }, body),
      });
    await write("Put it away.");
    await session.submit("tidy");
    expect(toolResults(session)[0]).toContain("Put it away.");
    expect(tools()).toContain("Skill");
    expect(prompt()).toContain("- tidy: Tidies UP");
    expect(session.listCommands().map(({ name }) => name)).toContain("tidy");

    await write("Sort it.");
    await session.submit("go on");
    expect(session.getSkills().get("tidy")?.body).toBe("Sort it.");
    expect(prompt()).toContain("come or changed");
    await session.submit("go on");
    expect(prompt()).toBe("go on");

    await platform.fs.remove("/home/user/.robota/skills/tidy", { recursive: true });
    await session.submit("go on");
    expect(prompt()).toContain("Skills that are gone, and do not hold any more: tidy");
    expect([...session.getSkills().keys()]).toEqual([]);
    expect(session.listCommands().map(({ name }) => name)).not.toContain("tidy");
    expect(await session.executeCommand("tidy")).toBeNull();
    await session.shutdown();
  });

  it("report what is wrong with them as long as it is", async () => {
    const platform = hostWith({ "~/.robota/skills/odd/SKILL.md": "nothing" });
    const { session } = open(platform, "/work", [{ text: "one" }, { text: "two" }]);
    const wrong = () => session.getSettings()?.warnings.map(({ layer }) => layer);
    await session.submit("one");
    expect(wrong()).toEqual(["~/.robota/skills/odd/SKILL.md"]);
    await platform.fs.writeFile("/home/user/.robota/skills/odd/SKILL.md", skillFile({}));
    await session.submit("two");
    expect(wrong()).toEqual([]);
    await session.shutdown();
  });
});

describe("a project's skills in an open session", () => {
  const KEPT = "/work/.robota/skills/kept/SKILL.md";
  const NEW = "/work/.robota/skills/new";
  const texts = (count: number) => Array.from({ length: count }, () => ({ text: "ok" }));

  it("come and change with their files, from the next turn on, with a person's yes to each change", async () => {
    const platform = hostWith({ [KEPT]: skillFile({}, "First.") });
    const asked: WorkspaceTrustRequest[] = [];
    const trustWorkspace = (request: WorkspaceTrustRequest) => asked.push(request) > 0;
    const script = [
      { text: "one" },
      { toolCalls: [skillCall("new")] },
      { text: "two" },
      { text: "three" },
    ];
    const { session, prompt } = open(platform, "/work", script, { trustWorkspace });
    await session.submit("one");
    expect(asked).toHaveLength(1);
    await platform.fs.writeFile(KEPT, skillFile({}, "Second."));
    await writeFiles(platform.fs, NEW, { "SKILL.md": skillFile({ description: "NEW" }, "Begin.") });
    await session.submit("two");
    expect(asked).toHaveLength(2);
    expect(asked[1]?.isChanged).toBe(true);
    expect(asked[1]?.findings.map(({ file }) => file)).toEqual([
      ".robota/skills/kept/SKILL.md",
      ".robota/skills/new/SKILL.md",
    ]);
    expect(session.getSkills().get("kept")?.body).toBe("Second.");
    expect(prompt()).toContain("- new: NEW");
    expect(toolResults(session)[0]).toContain("Begin.");
    await session.submit("three");
    expect(asked).toHaveLength(2);
    await session.shutdown();
  });

  it.each([
    ["a program's yes to the workspace of the opening", { trustWorkspace: true }],
    ["a yes that was remembered", {}],
  ])("stay as they were with %s; a warning names what has changed", async (_, options) => {
    const platform = hostWith({ [KEPT]: skillFile({}, "First."), "/work/a.md": "" });
    const before = open(platform, "/work", [], { trustWorkspace: () => true });
    await before.session.ready;
    await before.session.shutdown();

    const { session } = open(platform, "/work", texts(5), options);
    const bodies = () => [...session.getSkills()].map(([name, { body }]) => [name, body]);
    const warned = () => session.getSettings()?.warnings.map(({ layer }) => layer);
    await session.submit("one");
    expect([bodies(), warned()]).toEqual([[["kept", "First."]], []]);
    await platform.fs.writeFile(KEPT, skillFile({}, "Second."));
    await writeFiles(platform.fs, NEW, { "SKILL.md": skillFile({}, "Begin.") });
    await session.submit("two");
    expect(bodies()).toEqual([["kept", "First."]]);
    expect(warned()).toEqual([".robota/skills/kept/SKILL.md", ".robota/skills/new/SKILL.md"]);
    expect(session.getSettings()?.trust).toBe("untrusted");

    // Back as it was, it is what the yes was for.
    await platform.fs.writeFile(KEPT, skillFile({}, "First."));
    await platform.fs.remove(NEW, { recursive: true });
    await session.submit("three");
    expect([bodies(), warned()]).toEqual([[["kept", "First."]], []]);
    expect(session.getSettings()?.trust).toBe("trusted");

    await platform.fs.remove(KEPT);
    await session.submit("four");
    expect([bodies(), warned()]).toEqual([[], []]);
    await session.shutdown();
  });

  it("wait for trust where there was nothing to trust before, and come with it", async () => {
    const platform = hostWith({});
    const { session } = open(platform, "/work", texts(3));
    await session.submit("one");
    expect(session.getSettings()?.trust).toBe("not-needed");
    await writeFiles(platform.fs, NEW, { "SKILL.md": skillFile({}, "Begin.") });
    await session.submit("two");
    expect([...session.getSkills().keys()]).toEqual([]);
    expect(session.getSettings()).toMatchObject({
      trust: "untrusted",
      warnings: [{ layer: ".robota/skills/new/SKILL.md", setting: "skill" }],
    });
    await session.executeCommand("trust", "grant");
    await session.executeCommand("trust", "confirm");
    await session.submit("three");
    expect(session.getSkills().get("new")?.body).toBe("Begin.");
    await session.shutdown();
  });

  it("are read again only where their files have changed", async () => {
    const platform = hostWith(
      Object.fromEntries(
        Array.from({ length: 20 }, (_, at) => [
          `/work/.robota/skills/s${at}/SKILL.md`,
          skillFile({ name: `s${at}` }, `Body ${at}.`),
        ]),
      ),
    );
    const read: string[] = [];
    const fs = new Proxy(platform.fs, {
      get(target, key) {
        if (key !== "readFile") return bound(target, key);
        return (path: string) => {
          if (path.endsWith("SKILL.md")) read.push(path);
          return target.readFile(path);
        };
      },
    });
    let later = 0;
    const now = () => platform.now() + later;
    const host = new Proxy(platform, {
      get: (target, key) => (key === "fs" ? fs : key === "now" ? now : bound(target, key)),
    });
    const { session } = open(host, "/work", texts(4), { trustWorkspace: true });
    // A file written just now may change again within the same modification time.
    later = 60_000;
    await session.submit("one");
    await session.submit("two");
    read.length = 0;
    const changed = "/work/.robota/skills/s3/SKILL.md";
    await platform.fs.writeFile(changed, skillFile({ name: "s3" }, "Otherwise."));
    await session.submit("three");
    expect(new Set(read)).toEqual(new Set([changed]));
    expect(session.getSettings()?.warnings.map(({ layer }) => layer)).toEqual([changed.slice(6)]);
    read.length = 0;
    await session.submit("four");
    expect(read).toEqual([]);
    await session.shutdown();
  });
});

describe.each([
  ["the host", withHost],
  ["memory", withMemory],
])("a bundle's skills, in %s", (_, onHost) => {
  it("reach a session that had none, and leave it, also the list of commands", () =>
    onHost(async ({ platform, cwd }) => {
      await writeFiles(platform.fs, `${cwd}/greeter`, {
        "plugin.json": { name: "greeter", version: "1.0.0", description: "Greets" },
        "skills/kind/SKILL.md": "---\nname: kind\ndescription: Be KIND\n---\nSay please.",
        "commands/hello.md": "Say hello",
      });
      const installer = new BundlePluginInstaller(platform, { cwd });
      const { session, prompt, tools } = open(platform, cwd, [
        { text: "before" },
        { toolCalls: [skillCall("greeter:kind")] },
        { text: "please" },
        { text: "disabled" },
      ]);
      const names = () => session.listCommands().map(({ name }) => name);
      await session.submit("before");
      await installer.install("./greeter", { approve: () => true });
      await session.submit("be kind");
      expect(toolResults(session)[0]).toContain("Say please.");
      expect(prompt()).toContain("- greeter:kind: Be KIND");
      expect(names()).toEqual(expect.arrayContaining(["greeter:kind", "greeter:hello"]));

      // By somebody else, such as another tab: no command of this session is run.
      await installer.disable("greeter");
      await session.submit("go on");
      expect(tools()).not.toContain("Skill");
      expect(prompt()).toContain("gone");
      expect(names().filter((name) => name.includes("greeter"))).toEqual([]);
      await session.shutdown();
    }));
});
