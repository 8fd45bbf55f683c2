import { withHost } from "#host";
import { contentText, InteractiveSession, type Platform } from "@robota/runtime";
import { BundlePluginInstaller } from "@robota/runtime/plugins";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { withMemory } from "../../hosts/memory.ts";
import { writeFiles } from "../../support/bundles/bundle-files.ts";
import { hostWith, type Script } from "../../support/settings-support.ts";
import { skillCall, skillFile, toolResults } from "./skill-support.ts";

function open(platform: Platform, cwd: string, script: Script) {
  const provider = new ScriptedProvider(script);
  const session = new InteractiveSession({ platform, cwd, provider, trackFiles: false });
  /** The last prompt, with what hooks have added. */
  const prompt = () =>
    contentText(
      provider.requests.at(-1)?.messages.findLast(({ role }) => role === "user")?.content ?? "",
    );
  const tools = () => (provider.requests.at(-1)?.options.tools ?? []).map(({ name }) => name);
  return { session, provider, prompt, tools };
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

  it("report what is wrong with them as long as it is, and leave a project's as it was trusted", async () => {
    const own = skillFile({}, "Of the project.");
    const path = "/work/.robota/skills/kept/SKILL.md";
    const platform = hostWith({ [path]: own, "~/.robota/skills/odd/SKILL.md": "nothing" });
    const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
    const trustWorkspace = () => true;
    const session = new InteractiveSession({ platform, cwd: "/work", provider, trustWorkspace });
    const wrong = () => session.getSettings()?.warnings.map(({ layer }) => layer);
    await session.submit("one");
    expect(wrong()).toEqual(["~/.robota/skills/odd/SKILL.md"]);
    await platform.fs.writeFile("/home/user/.robota/skills/odd/SKILL.md", skillFile({}));
    await platform.fs.writeFile(path, skillFile({}, "Changed."));
    await session.submit("two");
    expect(wrong()).toEqual([]);
    expect([...session.getSkills().keys()]).toEqual(["kept", "odd"]);
    expect(session.getSkills().get("kept")?.body).toBe("Of the project.");
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
