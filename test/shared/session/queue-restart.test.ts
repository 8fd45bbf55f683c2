import { withHost } from "#host";
import {
  type HookInput,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Platform,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { afterCrash, echo, echoCall, logText } from "../../support/support.ts";

function sessionOf(
  platform: Platform,
  script: ConstructorParameters<typeof ScriptedProvider>[0],
  options: Partial<InteractiveSessionOptions> = {},
): InteractiveSession {
  const provider = new ScriptedProvider(script);
  return new InteractiveSession({
    platform,
    provider,
    tools: [echo],
    sessionId: "kept",
    queueLimit: 3,
    ...options,
  });
}

const shownBy = (session: InteractiveSession): unknown[] =>
  session.getMessages().flatMap(({ role, content }) => (role === "user" ? [content] : []));

it("a queued prompt is shown after a restart as it would have been", () =>
  withHost(async ({ platform }) => {
    const died = sessionOf(platform, [{ toolCalls: [echoCall("x")] }]);
    const asked = new Promise<void>((resolve) => died.on("permission_request", () => resolve()));
    died.submit("first").catch(() => undefined);
    await asked;
    for (const [input, shown] of [["The whole of a.md", "@a.md"], ["plain"], ["", "/empty"]])
      died.submit(input ?? "", shown).catch(() => undefined);
    await expect.poll(() => logText(platform.storage, "kept")).toMatch(/"queue":\[[^\]]+plain",""/);
    const storage = await afterCrash(platform.storage, "kept");
    await died.shutdown();

    const session = sessionOf({ ...platform, storage }, [
      { text: "one" },
      { text: "two" },
      { text: "three" },
      { text: "four" },
    ]);
    await session.ready;
    const [request] = session.pendingPermissions();
    await session.resolvePermission(request?.id ?? "", { allow: true });
    await expect.poll(() => shownBy(session).length).toBe(4);
    expect(shownBy(session)).toEqual(["first", "@a.md", "plain", "/empty"]);
    await session.shutdown();
  }));

describe("a queued prompt whose turn never began", () => {
  /** A session that answers once it may, with one prompt behind it. */
  async function withQueued(platform: Platform, options: Partial<InteractiveSessionOptions>) {
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    const first = async () => {
      await mayAnswer;
      return { text: "answered" };
    };
    const session = sessionOf(platform, [first], options);
    session.submit("first").catch(() => undefined);
    await expect.poll(() => session.isExecuting() && session.lastSeq).toBeGreaterThan(1);
    const queued = session.submit("second");
    await expect.poll(() => session.queue.list().length).toBe(1);
    return { session, queued, answer };
  }

  /** Returns the prompts that wait after a restart, and those of the log's last record of the queue. */
  async function left(platform: Platform): Promise<unknown> {
    const session = sessionOf(platform, []);
    await session.ready;
    const waiting = session.queue.list().map(({ text }) => text);
    const log = await logText(platform.storage, "kept");
    await session.shutdown();
    return [waiting, log.match(/"queue":\[[^\]]*\]/g)?.at(-1)];
  }

  it("is gone for good when a hook has blocked it", () =>
    withHost(async ({ platform }) => {
      const refuse = (input: HookInput) =>
        "prompt" in input && input.prompt === "second"
          ? { decision: "block" as const, reason: "not this" }
          : undefined;
      const { session, queued, answer } = await withQueued(platform, {
        hooks: { UserPromptSubmit: [{ hooks: [{ type: "function", run: refuse }] }] },
      });
      answer();
      expect(await queued).toMatchObject({ state: "failed", error: { code: "HOOK_BLOCKED" } });
      await session.shutdown();
      expect(await left(platform)).toEqual([[], '"queue":[]']);
    }));

  it("is gone for good when it was stopped before", () =>
    withHost(async ({ platform }) => {
      const isAsked = Promise.withResolvers<void>();
      const wait = (input: HookInput) => {
        if (!("prompt" in input) || input.prompt !== "second") return undefined;
        isAsked.resolve();
        return new Promise<undefined>(() => undefined);
      };
      const { session, queued, answer } = await withQueued(platform, {
        hooks: { UserPromptSubmit: [{ hooks: [{ type: "function", run: wait }] }] },
      });
      answer();
      await isAsked.promise;
      session.abort();
      expect(await queued).toMatchObject({ state: "interrupted" });
      await session.shutdown();
      expect(await left(platform)).toEqual([[], '"queue":[]']);
    }));
});
