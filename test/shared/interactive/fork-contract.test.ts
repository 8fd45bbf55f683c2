import { InteractiveSession, Session } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { withHost } from "#host";
import { expect, it } from "vitest";

it("a fork follows the settings, skills and commands of its own turns, and leaves those of its origin alone", () =>
  withHost(async ({ platform, cwd }) => {
    const settings = `${cwd}/.robota/settings.json`;
    const skill = (name: string): string => `${cwd}/.robota/skills/${name}/SKILL.md`;
    const write = async (path: string, text: string): Promise<void> => {
      await platform.fs.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      await platform.fs.writeFile(path, text);
    };
    await write(settings, JSON.stringify({ language: "German" }));
    await write(skill("old"), "---\nname: old\ndescription: Old\n---\nOld");
    const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const trustWorkspace = (): boolean => true;
    await using origin = new InteractiveSession({ platform, cwd, provider, trustWorkspace });
    await origin.submit("first");

    await using fork = await origin.fork();
    expect(fork.getSettings()?.values.language).toBe("German");
    expect([...fork.getSkills().keys()]).toContain("old");
    await write(settings, JSON.stringify({ language: "Welsh" }));
    await write(skill("new"), "---\nname: new\ndescription: New\n---\nNew");
    expect((await fork.submit("second")).response).toBe("two");
    expect(fork.getSettings()?.values.language).toBe("Welsh");
    expect([...fork.getSkills().keys()]).toContain("new");
    expect(fork.listCommands().map(({ name }) => name)).toContain("new");
    expect(origin.getSettings()?.values.language).toBe("German");
    expect([...origin.getSkills().keys()]).not.toContain("new");
    expect(origin.listCommands().map(({ name }) => name)).not.toContain("new");

    await origin.submit("third");
    expect(origin.getSettings()?.values.language).toBe("Welsh");
  }));

it("a fork knows the providers of its origin", () =>
  withHost(async ({ platform, cwd }) => {
    const providerOf = (name: string): ScriptedProvider =>
      new ScriptedProvider([{ text: name }], { name });
    await using origin = new InteractiveSession({ platform, cwd, provider: providerOf("first") });
    await origin.submit("Hi");
    await origin.setProvider(providerOf("second"));
    await using fork = await origin.fork();
    expect(fork.getModel().provider).toBe("second");
    expect(fork.getProviders().map(({ provider }) => provider)).toEqual(["first", "second"]);
    expect((await fork.submit("Go on")).response).toBe("second");
  }));

it("a fork of a prepared session is one of the same configuration", async () => {
  await withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
    const session = new Session({ platform, cwd, provider, systemMessage: "Be brief." });
    await using origin = new InteractiveSession({ session });
    await origin.submit("first");
    await using fork = await origin.fork();
    expect((await fork.submit("second")).response).toBe("two");
    expect(provider.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
      "Be brief.",
      "first",
      "one",
      "second",
    ]);
  });
});
