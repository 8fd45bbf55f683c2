import { InteractiveSession, projectPaths, SessionStore, userPaths } from "@robota/runtime";
import { MemoryStorage } from "@robota/runtime/virtual";
import { ScriptedProvider } from "@robota/runtime/testing";
import { withHost } from "#host";
import { expect, it } from "vitest";
import { roles } from "../../support/support.ts";

it("S-217: a session store has messages, history, directory and times after each submit", () =>
  withHost(async ({ platform, cwd }) => {
    const sessionStore = new SessionStore(new MemoryStorage());
    const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
    await using session = new InteractiveSession({ platform, cwd, provider, sessionStore });
    const seen: string[] = [];
    for (const [index, prompt] of ["first", "second"].entries()) {
      await session.submit(prompt);
      const record = await sessionStore.load(session.sessionId);
      expect(record).toMatchObject({ id: session.sessionId, cwd });
      expect(roles(record?.messages ?? [])).toEqual(
        ["user", "assistant", "user", "assistant"].slice(0, 2 * (index + 1)),
      );
      expect(record?.messages.at(-2)?.content).toBe(prompt);
      const chat = record?.history.filter(({ category }) => category === "chat") ?? [];
      expect(chat).toHaveLength(2 * (index + 1));
      const { createdAt = "", updatedAt = "" } = record ?? {};
      expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
      seen.push(createdAt);
    }
    expect(seen[0]).toBe(seen[1]);
    expect(await sessionStore.list()).toMatchObject([{ id: session.sessionId, cwd }]);
    // The store has the session in place of the platform's own storage.
    expect(await platform.storage.keys("sessions/")).toEqual([]);
  }));

it("S-220: a session's name is in its record, and restored when the session is resumed", () =>
  withHost(async ({ platform, cwd }) => {
    const sessionStore = new SessionStore(new MemoryStorage());
    const options = { platform, cwd, provider: new ScriptedProvider([]), sessionStore };
    const session = new InteractiveSession(options);
    await session.ready;
    expect(session.getName()).toBeUndefined();
    await session.setName("Release notes");
    expect(session.getName()).toBe("Release notes");
    expect(await sessionStore.load(session.sessionId)).toMatchObject({ name: "Release notes" });
    await session.shutdown();
    const resumeSessionId = session.sessionId;
    await using again = new InteractiveSession({ ...options, resumeSessionId });
    await again.ready;
    expect(again.getName()).toBe("Release notes");
  }));

it("S-220: a session without a store has a name as well", () =>
  withHost(async ({ platform, cwd }) => {
    await using session = new InteractiveSession({
      platform,
      cwd,
      provider: new ScriptedProvider([]),
    });
    await session.setName("Release notes");
    expect(session.getName()).toBe("Release notes");
  }));

it("S-261: projectPaths and userPaths are the sources of a session's settings and agents", () =>
  withHost(async ({ platform: host, cwd }) => {
    const home = `${cwd}/home`;
    const work = `${home}/work`;
    const platform = { ...host, home, userSettings: "home" as const };
    const [project, user] = [projectPaths(work), userPaths(home)];
    expect([project.directory, user.directory]).toEqual([`${work}/.robota`, `${home}/.robota`]);
    const write = async (path: string, content: unknown): Promise<void> => {
      await platform.fs.mkdir(path.replace(/\/[^/]*$/, ""), { recursive: true });
      await platform.fs.writeFile(path, JSON.stringify(content));
    };
    await write(user.settings, { language: "Korean", autoCompactThreshold: 0.5 });
    await write(project.settings, { language: "French", maxTurns: 7 });
    await write(project.settingsLocal, { language: "German" });
    const provider = new ScriptedProvider([]);
    const trustWorkspace = (): boolean => true;
    const options = { platform, cwd: work, provider, trustWorkspace };
    await using session = new InteractiveSession(options);
    await session.ready;
    expect(session.getSettings()?.values).toMatchObject({
      language: "German",
      maxTurns: 7,
      autoCompactThreshold: 0.5,
    });
  }));
