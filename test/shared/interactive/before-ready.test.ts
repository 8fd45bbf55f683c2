import { InteractiveSession, type InteractiveSessionOptions, listSessions } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { withHost } from "#host";
import { describe, expect, it } from "vitest";

/** Calls that need a session that is open. */
const CALLS: readonly [name: string, call: (session: InteractiveSession) => Promise<unknown>][] = [
  ["setName", (session) => session.setName("Named")],
  ["setPermissionMode", (session) => session.setPermissionMode("plan")],
  ["getPermissionRules", (session) => session.getPermissionRules()],
  ["clearHistory", (session) => session.clearHistory()],
  ["compact", (session) => session.compact()],
  ["rewind", (session) => session.rewind("c")],
  ["previewRewind", (session) => session.previewRewind("c")],
  ["changes.changedFiles", ({ changes }) => changes.changedFiles()],
  ["changes.changedContents", ({ changes }) => changes.changedContents(["/a"])],
  ["changes.restoreFiles", ({ changes }) => changes.restoreFiles(["/a"])],
  ["agents", (session) => session.agents()],
  ["export", (session) => session.export()],
  ["fork", (session) => session.fork()],
  ["events", (session) => firstEvent(session)],
];

async function firstEvent(session: InteractiveSession): Promise<unknown> {
  for await (const event of session.events()) return event;
  return undefined;
}

describe.each(CALLS)("%s, called before the session is ready", (_name, call) => {
  it("fails as ready does for an unknown session, which does not come into being", () =>
    withHost(async ({ platform, cwd }) => {
      const provider = new ScriptedProvider([]);
      const session = new InteractiveSession({ platform, cwd, provider, resumeSessionId: "gone" });
      await expect(call(session)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(session.ready).rejects.toMatchObject({ code: "NOT_FOUND" });
      await session.shutdown();
      expect(await listSessions(platform.storage)).toEqual([]);
    }));
});

it("events of a forked session begin with those of its origin, also when they are read before it is ready", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
    const options: InteractiveSessionOptions = { platform, cwd, provider };
    await using origin = new InteractiveSession(options);
    await origin.submit("first");
    await using fork = new InteractiveSession({
      ...options,
      resumeSessionId: origin.sessionId,
      forkSession: true,
    });
    const inputs: unknown[] = [];
    for await (const event of fork.events()) {
      if (event.type === "turn_start") inputs.push(event.input);
      if (event.type === "turn_end") break;
    }
    expect(inputs).toEqual(["first"]);
    await fork.ready;
    expect((await fork.submit("second")).response).toBe("two");
  }));
