import { withHost } from "#host";
import {
  InteractiveSession,
  type InteractiveSessionOptions,
  listSessions,
  type Platform,
  type SessionEvent,
  SessionStore,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { logText } from "../../../support/support.ts";

type Step = ConstructorParameters<typeof ScriptedProvider>[0][number];

let calls = 0;

function bash(command: string): Step {
  calls += 1;
  return { toolCalls: [{ id: `call-${calls}`, name: "Bash", args: { command } }] };
}

function options(platform: Platform, cwd: string, script: Step[]): InteractiveSessionOptions {
  return {
    platform,
    cwd,
    provider: new ScriptedProvider(script),
    permissionMode: "bypassPermissions",
  };
}

async function contentOf(platform: Platform, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await platform.fs.readFile(path));
  } catch {
    return undefined;
  }
}

it("forks the conversation and the files at a turn, and leaves the original unchanged", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/a.txt`, "zero\n");
    const original = new InteractiveSession(
      options(platform, cwd, [
        bash("echo one > a.txt"),
        { text: "First" },
        bash("echo two > a.txt; echo new > b.txt"),
        { text: "Second" },
        bash("cat a.txt; ls; echo fork > a.txt; echo own > c.txt; cat a.txt"),
        { text: "Forked" },
        bash("cat a.txt c.txt"),
        { text: "Later" },
      ]),
    );
    await original.submit("Write one");
    await original.submit("Write two");
    const before = await logText(platform.storage, original.sessionId);

    const fork = await original.fork(original.checkpoints()[1]?.id);
    expect(fork.sessionId).not.toBe(original.sessionId);
    expect(fork.getMessages().at(-1)?.content).toBe("First");
    await fork.submit("Go another way");
    const result = fork.getMessages().findLast(({ role }) => role === "tool");
    expect(result?.content).toContain("one\na.txt\nfork");
    expect(await contentOf(platform, `${cwd}/a.txt`)).toBe("two\n");
    expect(await contentOf(platform, `${cwd}/b.txt`)).toBe("new\n");
    expect(await contentOf(platform, `${cwd}/c.txt`)).toBeUndefined();
    expect(await logText(platform.storage, original.sessionId)).toBe(before);
    await fork.shutdown();
    await original.shutdown();

    const again = new InteractiveSession({
      ...options(platform, cwd, [bash("cat a.txt c.txt"), { text: "Still there" }]),
      resumeSessionId: fork.sessionId,
    });
    await again.submit("Look");
    const seen = again.getMessages().findLast(({ role }) => role === "tool");
    expect(seen?.content).toContain("fork\nown");
    await again.shutdown();
    expect((await listSessions(platform.storage)).map(({ id }) => id).sort()).toEqual(
      [original.sessionId, fork.sessionId].sort(),
    );
  }));

it("copies the session's grants into a fork, but not revoked ones", () =>
  withHost(async ({ platform, cwd }) => {
    let asked = 0;
    const original = new InteractiveSession({
      platform,
      cwd,
      provider: new ScriptedProvider([
        bash("echo one > a.txt"),
        { text: "First" },
        bash("echo one > a.txt"),
        { text: "In the fork" },
      ]),
      permissionHandler: () => {
        asked += 1;
        return { allow: true, scope: "session" };
      },
    });
    await original.submit("Write");
    expect(asked).toBe(1);
    const rules = original.getSessionAllowedTools();
    expect(rules).toHaveLength(1);
    const fork = await original.fork();
    expect(fork.getSessionAllowedTools()).toEqual(rules);
    expect((await fork.submit("Write again")).response).toBe("In the fork");
    expect(asked).toBe(1);
    await fork.shutdown();

    for (const rule of rules) await original.revokePermission(rule);
    const narrow = await original.fork();
    expect(narrow.getSessionAllowedTools()).toEqual([]);
    await narrow.shutdown();
    await original.shutdown();
  }));

it("forks a stored session under a new id", () =>
  withHost(async ({ platform, cwd }) => {
    const first = new InteractiveSession(options(platform, cwd, [{ text: "Hello" }]));
    await first.submit("Hi");
    await first.shutdown();
    const before = await logText(platform.storage, first.sessionId);
    const fork = new InteractiveSession({
      ...options(platform, cwd, [{ text: "From here" }]),
      resumeSessionId: first.sessionId,
      forkSession: true,
    });
    expect(fork.sessionId).not.toBe(first.sessionId);
    expect((await fork.submit("Go on")).response).toBe("From here");
    expect(fork.getMessages().map(({ content }) => content)).toEqual([
      "Hi",
      "Hello",
      "Go on",
      "From here",
    ]);
    await fork.shutdown();
    expect(await logText(platform.storage, first.sessionId)).toBe(before);
  }));

it("forks a running turn after its last complete step", () =>
  withHost(async ({ platform, cwd }) => {
    const { promise: answer, resolve: end } = Promise.withResolvers<{ text: string }>();
    const original = new InteractiveSession(
      options(platform, cwd, [bash("echo one"), () => answer]),
    );
    const running = original.submit("Go");
    const types = (): string[] => original.getFullHistory().map(({ type }) => type);
    await expect.poll(types).toContain("tool-end");
    const fork = await original.fork();
    expect(fork.isExecuting()).toBe(false);
    expect(fork.getMessages().at(-1)?.role).toBe("tool");
    await fork.shutdown();
    expect(original.isExecuting()).toBe(true);
    end({ text: "Slow" });
    expect((await running).response).toBe("Slow");
    await original.shutdown();
  }));

it("forks at any entry, after the last complete step before it", () =>
  withHost(async ({ platform, cwd }) => {
    const original = new InteractiveSession(
      options(platform, cwd, [
        bash("echo one > a.txt"),
        { text: "First" },
        bash("echo two > a.txt"),
        bash("echo three > a.txt"),
        { text: "Second" },
      ]),
    );
    await original.submit("Write one");
    await original.submit("Write two and three");
    const events: SessionEvent[] = [];
    for await (const event of original.events()) {
      events.push(event);
      if (event.type === "turn_end" && event.response.endsWith("Second")) break;
    }
    const starts = events.filter(({ type }) => type === "tool_start");
    // In the middle of the third call: the second one is the last that is complete.
    const fork = await original.fork(starts[2]?.seq ?? 0);
    expect(fork.getMessages().at(-1)?.role).toBe("tool");
    expect(fork.getMessages().filter(({ role }) => role === "tool")).toHaveLength(2);
    expect(fork.isExecuting()).toBe(false);
    await fork.shutdown();
    const ends = events.filter(({ type }) => type === "turn_end");
    const earlier = await original.fork(ends[0]?.seq ?? 0);
    expect(earlier.getMessages().at(-1)?.content).toBe("First");
    await earlier.shutdown();
    await expect(original.fork(0)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await original.shutdown();
  }));

it("forks a session with an unreadable record", () =>
  withHost(async ({ platform, cwd }) => {
    const first = new InteractiveSession(options(platform, cwd, [{ text: "Hello" }]));
    await first.submit("Hi");
    await first.shutdown();
    const damaged = new MemoryStorage();
    const log = `sessions/${first.sessionId}`;
    for await (const { seq, value } of platform.storage.read(log)) {
      await damaged.append(log, [seq === 3 ? value.slice(0, 20) : value]);
    }
    const sessionStore = new SessionStore(damaged);
    const fork = new InteractiveSession({
      ...options(platform, cwd, [{ text: "From here" }]),
      sessionStore,
      resumeSessionId: first.sessionId,
      forkSession: true,
    });
    expect((await fork.submit("Go on")).response).toBe("From here");
    await fork.shutdown();
  }));
