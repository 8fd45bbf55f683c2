import { replaySession } from "@robota/runtime";
import { dirname } from "@robota/runtime/ports";
import { readSettings } from "@robota/runtime/settings";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { CWD, hostWith, openSession, textOf } from "../../support/settings-support.ts";

const USER = "~/.robota/settings.json";

describe("R-35: a settings file that changes while a session is open", () => {
  it("takes effect with the next turn, and earlier denials remain", async () => {
    const platform = hostWith({ [USER]: { permissions: { deny: ["Bash(git push *)"] } } });
    const file = USER.replace("~", platform.home);
    const decisions = (): string[] =>
      ["git push x", "rm x", "make all"].map(
        (command) => session.explain("Bash", { command }).decision,
      );
    const { session } = openSession(platform, {}, [
      { text: "one" },
      () => ({ text: decisions().join() }),
      async () => {
        await platform.fs.remove(file);
        return { text: "removed" };
      },
      () => ({ text: decisions().join() }),
    ]);
    await session.submit("one");
    const permissions = { deny: ["Bash(rm *)"], allow: ["Bash(make *)"] };
    await platform.fs.writeFile(file, textOf({ permissions, maxTurns: 7 }));
    expect(decisions()).toEqual(["deny", "approve", "approve"]);
    expect((await session.submit("two")).response).toBe("deny,deny,auto");
    expect(session.getSettings()?.values).toMatchObject({
      permissions: { deny: ["Bash(rm *)", "Bash(git push *)"], allow: ["Bash(make *)"] },
      maxTurns: 7,
    });
    await session.submit("three");
    expect((await session.submit("four")).response).toBe("deny,deny,approve");
    const notes = session.getFullHistory().filter(({ type }) => type.startsWith("settings-"));
    expect(notes.map(({ type }) => type)).toEqual(["settings-changed", "settings-changed"]);
    await session.shutdown();

    const { session: again } = openSession(platform, { resumeSessionId: session.sessionId });
    await again.ready;
    expect(again.explain("Bash", { command: "git push x" }).decision).toBe("approve");
    await again.shutdown();
  });

  it("changes nothing while it is invalid, and is reported once", async () => {
    const platform = hostWith({ [USER]: { permissions: { allow: ["Bash(make *)"] } } });
    const file = USER.replace("~", platform.home);
    const { session } = openSession(
      platform,
      {},
      Array.from({ length: 4 }, () => ({ text: "hi" })),
    );
    const decision = (): string => session.explain("Bash", { command: "make all" }).decision;
    await session.submit("one");
    for (const wrong of ["{", textOf({ permissions: { deny: ["Bash(("] } })]) {
      await platform.fs.writeFile(file, wrong);
      expect((await session.submit("more")).response).toBe("hi");
      expect(decision()).toBe("auto");
      expect(session.getSettings()?.values.permissions).toEqual({ allow: ["Bash(make *)"] });
    }
    await platform.fs.writeFile(file, "{}");
    await session.submit("last");
    expect(decision()).toBe("approve");
    const reported = session.getFullHistory().filter(({ type }) => type.startsWith("settings-"));
    expect(reported.map(({ type }) => type)).toEqual([
      "settings-kept",
      "settings-kept",
      "settings-changed",
    ]);
    expect(JSON.stringify(reported[0])).toContain("~/.robota/settings.json");
    await session.shutdown();
  });

  it("runs new hooks with the next turn, and drops none", async () => {
    const hooks = (...names: string[]) => ({
      hooks: {
        UserPromptSubmit: names.map((name) => ({
          hooks: [{ type: "command", command: `echo ${name} >> ${CWD}/ran` }],
        })),
      },
    });
    const platform = hostWith({ [USER]: hooks("guard") });
    const file = USER.replace("~", platform.home);
    const { session } = openSession(platform, {}, [{ text: "hi" }, { text: "hi" }, { text: "hi" }]);
    await session.submit("one");
    await platform.fs.writeFile(file, textOf(hooks("other")));
    await session.submit("two");
    await platform.fs.writeFile(file, textOf({ hooks: { UserPromptSubmit: "no" } }));
    await session.submit("three");
    const ran = new TextDecoder().decode(await platform.fs.readFile(`${CWD}/ran`)).split("\n");
    expect(ran.slice(0, 1)).toEqual(["guard"]);
    expect(ran.slice(1, 3).toSorted()).toEqual(["guard", "other"]);
    expect(ran.slice(3, 5).toSorted()).toEqual(["guard", "other"]);
    await session.shutdown();
  });

  it("is shown again when the turn was aborted during the trust question", async () => {
    const file = `${CWD}/.robota/settings.json`;
    const platform = hostWith({ [file]: {} });
    const first = Promise.withResolvers<boolean>();
    let asked = 0;
    const trustWorkspace = (): boolean | Promise<boolean> => (++asked === 1 ? first.promise : true);
    const { session } = openSession(platform, { trustWorkspace }, [{ text: "one" }]);
    const decision = (): string => session.explain("Bash", { command: "make all" }).decision;
    await session.ready;
    await platform.fs.writeFile(file, textOf({ permissions: { allow: ["Bash(make *)"] } }));
    const stopped = session.submit("stopped").catch(() => undefined);
    await expect.poll(() => asked).toBe(1);
    session.abort();
    await stopped;
    first.resolve(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([decision(), session.getSettings()?.trust]).toEqual(["approve", "not-needed"]);
    await session.submit("again");
    expect([asked, decision(), session.getSettings()?.trust]).toEqual([2, "auto", "trusted"]);
    await session.shutdown();
  });

  it("does not change the session's mode, but reports the configured one", async () => {
    const platform = hostWith({
      [USER]: {},
      [`${CWD}/.robota/settings.json`]: { permissions: { defaultMode: "plan" } },
    });
    const { session } = openSession(platform, {}, [{ text: "one" }]);
    await session.ready;
    const permissions = { deny: ["Bash(rm *)"], defaultMode: "acceptEdits" };
    await platform.fs.writeFile(USER.replace("~", platform.home), textOf({ permissions }));
    await session.submit("first");
    expect(session.getPermissionMode()).toBe("plan");
    expect(session.getSettings()?.values.permissions).toEqual({
      deny: ["Bash(rm *)"],
      defaultMode: "plan",
    });
    await session.shutdown();
  });

  it("is replayed where it was reported, also before the first turn", async () => {
    const platform = hostWith({ [USER]: {} });
    const file = USER.replace("~", platform.home);
    const { session } = openSession(platform, {}, [
      { text: "one" },
      { text: "two" },
      { text: "three" },
    ]);
    await session.ready;
    await platform.fs.writeFile(file, textOf({ maxTurns: 3 }));
    await session.submit("first");
    await platform.fs.writeFile(file, "{ }");
    await session.submit("second");
    await platform.fs.writeFile(file, "{");
    await session.submit("third");
    const { events } = await replaySession(await session.export(), memoryPlatform());
    const kinds = events.flatMap((event) => (event.type === "note" ? [event.kind] : []));
    expect(kinds).toEqual(["settings-changed", "settings-kept"]);
    await session.shutdown();
  });
});

describe("C2: a turn's changes to the person's own files", () => {
  const MARK = `${CWD}/ran`;
  const settings = textOf({
    permissions: { allow: ["Bash(make *)"], deny: ["Bash(rm *)"] },
    hooks: {
      UserPromptSubmit: [{ hooks: [{ type: "command", command: `echo ran > ${MARK}` }] }],
    },
  });

  it("restrict at once, and take effect in no session before the person has trusted them", async () => {
    const platform = hostWith({});
    const file = USER.replace("~", platform.home);
    const brings = async () => {
      await platform.fs.mkdir(dirname(file), { recursive: true });
      await platform.fs.writeFile(file, settings);
      return { text: "brought" };
    };
    const { session } = openSession(platform, {}, [brings, { text: "two" }]);
    await session.submit("one");
    await session.submit("two");
    const decisions = (of: typeof session) =>
      ["make all", "rm x"].map((command) => of.explain("Bash", { command }).decision);
    expect(decisions(session)).toEqual(["approve", "deny"]);
    await session.shutdown();

    const { session: later } = openSession(platform, {}, [{ text: "hi" }]);
    await later.submit("hello");
    expect(decisions(later)).toEqual(["approve", "deny"]);
    expect(later.getSettings()).toMatchObject({ trust: "untrusted" });
    await expect(platform.fs.stat(MARK)).rejects.toMatchObject({ code: "ENOENT" });
    await later.shutdown();

    const { session: trusting } = openSession(platform, { trustWorkspace: () => true });
    await trusting.ready;
    expect(decisions(trusting)).toEqual(["auto", "deny"]);
    await trusting.shutdown();
  });

  it("are the person's again when the person has deleted and recreated the file", async () => {
    const platform = hostWith({ [USER]: "{}" });
    const file = USER.replace("~", platform.home);
    const { session } = openSession(platform, {}, [
      async () => {
        await platform.fs.writeFile(file, settings);
        return { text: "brought" };
      },
    ]);
    await session.submit("one");
    await session.shutdown();
    const trust = async () => (await readSettings(platform, { cwd: CWD })).trust;
    expect(await trust()).toBe("untrusted");
    await platform.fs.remove(file);
    expect(await trust()).toBe("not-needed");
    await platform.fs.writeFile(file, settings);
    expect(await trust()).toBe("not-needed");
    expect((await readSettings(platform, { cwd: CWD })).values.permissions?.allow).toEqual([
      "Bash(make *)",
    ]);
  });

  it("wait as a whole when their origin can't be read any more", async () => {
    const platform = hostWith({ [USER]: settings });
    expect((await readSettings(platform, { cwd: CWD })).trust).toBe("not-needed");
    await platform.storage.set("brought-files", new TextEncoder().encode("{"));
    expect((await readSettings(platform, { cwd: CWD })).trust).toBe("untrusted");
  });
});
