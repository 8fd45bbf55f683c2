import { withHost } from "#host";
import { type HookInput, type HooksConfig, replaySession, Session } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { context, on } from "../../../support/hook-support.ts";
import { echo, echoCall } from "../../../support/support.ts";

type Answer = (input: HookInput) => object | void;

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Runs a session under hooks, and replays it: byte by byte the same, and no hook runs. */
async function expectSame(
  hooks: Partial<Record<keyof HooksConfig, Answer>>,
  script: ConstructorParameters<typeof ScriptedProvider>[0],
  prompts: readonly string[],
): Promise<string> {
  return withHostText(async (platform) => {
    let ran = 0;
    const config: HooksConfig = Object.assign(
      {},
      ...Object.entries(hooks).map(([event, run]) =>
        on(event as keyof HooksConfig, (input) => {
          ran += 1;
          return run(input);
        }),
      ),
    );
    const session = new Session({
      platform,
      provider: new ScriptedProvider(script),
      tools: [echo],
      permissions: { ask: prompts.includes("Ask") ? ["echo"] : [] },
      permissionMode: "bypassPermissions",
      sessionId: "hooked",
      trackFiles: false,
      hooks: config,
    });
    for (const prompt of prompts) await session.runTurn({ input: prompt });
    await session.shutdown();
    const recorded: string[] = [];
    for await (const { value } of platform.storage.read("sessions/hooked"))
      recorded.push(text(value));
    expect(ran).toBeGreaterThan(0);
    const before = ran;
    const source = { storage: platform.storage, sessionId: "hooked" };
    const { records } = await replaySession(source, memoryPlatform());
    expect(records.map(text)).toEqual(recorded);
    expect(ran).toBe(before);
    return recorded.join("\n");
  });
}

async function withHostText(
  run: (platform: Parameters<Parameters<typeof withHost>[0]>[0]["platform"]) => Promise<string>,
): Promise<string> {
  let result = "";
  await withHost(async ({ platform }) => {
    result = await run(platform);
  });
  return result;
}

it("replays text that hooks add to prompts and to results", async () => {
  const record = await expectSame(
    {
      SessionStart: () => context("SessionStart", "It is Monday."),
      UserPromptSubmit: () => context("UserPromptSubmit", "Be brief."),
      PreToolUse: () => context("PreToolUse", "Mind the gap."),
      PostToolUse: () => context("PostToolUse", "That was it."),
    },
    [{ toolCalls: [echoCall("one")] }, { text: "First" }, { text: "Second" }],
    ["Go", "Again"],
  );
  expect(record).toContain("Mind the gap.");
});

it("replays arguments and results changed by hooks, and calls refused by them", async () => {
  const record = await expectSame(
    {
      PreToolUse: (input) => {
        const { tool_input } = input as HookInput & { tool_input: { text?: string } };
        if (tool_input.text === "bad") return { decision: "block", reason: "not that" };
        return {
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: "allow",
            updatedInput: { text: "other" },
          },
        };
      },
      PostToolUse: () => ({
        hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "changed" },
      }),
      PermissionDenied: () => undefined,
    },
    [{ toolCalls: [echoCall("one"), echoCall("bad")] }, { text: "Done" }],
    ["Go"],
  );
  expect(record).toContain("not that");
});

it("replays turns that hooks refused, prolonged and ended", async () => {
  let stops = 0;
  const record = await expectSame(
    {
      UserPromptSubmit: (input) =>
        "prompt" in input && input.prompt === "forbidden"
          ? { decision: "block", reason: "no" }
          : undefined,
      Stop: () => {
        stops += 1;
        return stops === 1 ? { decision: "block", reason: "Check it too." } : undefined;
      },
      PostToolUse: () => ({ continue: false, stopReason: "enough" }),
    },
    [{ text: "First" }, { text: "Checked" }, { toolCalls: [echoCall("one")] }, { text: "never" }],
    ["Go", "forbidden", "Use it"],
  );
  expect(record).toContain("hook-stopped");
  expect(record).toContain("turn-refused");
});

it("replays a turn that a hook ended by a denial", async () => {
  const record = await expectSame(
    {
      PermissionRequest: () => ({
        hookSpecificOutput: {
          hookEventName: "PermissionRequest",
          decision: { behavior: "deny", message: "not on Fridays", interrupt: true },
        },
      }),
    },
    [{ toolCalls: [echoCall("one"), echoCall("two")] }, { text: "never" }],
    ["Ask"],
  );
  expect(record).toContain('"interrupt":true');
  expect(record).toContain("hook-stopped");
});

it("replays text that hooks add to the refusal of a call", async () => {
  const record = await expectSame(
    {
      PreToolUse: () => context("PreToolUse", "Mind the gap."),
      PermissionRequest: () => ({
        hookSpecificOutput: {
          hookEventName: "PermissionRequest",
          permissionDecision: "deny",
          permissionDecisionReason: "never",
        },
      }),
      PermissionDenied: () => undefined,
    },
    [{ toolCalls: [echoCall("one")] }, { text: "Refused" }],
    ["Ask"],
  );
  expect(record).toContain('"by":"hook","reason":"never"');
});
