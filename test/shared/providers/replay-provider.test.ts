import { createFunctionTool, Session, type SessionEvent } from "@robota/runtime";
import { ReplayProvider } from "@robota/runtime/providers/replay";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { echo, echoCall } from "../../support/support.ts";

async function record(): Promise<SessionEvent[]> {
  const provider = new ScriptedProvider([
    { text: "Let me see", toolCalls: [echoCall("x")] },
    { deltas: ["All ", "done"] },
  ]);
  const session = open(provider);
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  await session.run("go");
  return events;
}

function open(provider: ScriptedProvider | ReplayProvider, tools = [echo]): Session {
  const platform = memoryPlatform({ deterministic: true });
  return new Session({
    platform,
    provider,
    tools,
    permissionMode: "bypassPermissions",
    sessionId: "recorded",
  });
}

/** Their types, without those that no record has: a window's state is told when there is time. */
function durable(events: readonly SessionEvent[]): string[] {
  return events.map(({ type }) => type).filter((type) => type !== "context_update");
}

it("replays the answers of a record to a session, delta by delta", async () => {
  const events = await record();
  const replayed: SessionEvent[] = [];
  const provider = new ReplayProvider(events);
  const session = open(provider);
  session.subscribe((event) => replayed.push(event));
  expect(await session.run("go")).toBe("All done");
  expect(provider.remaining).toBe(0);
  expect(durable(replayed)).toEqual(durable(events));
  expect(replayed.filter(({ type }) => type === "text_delta")).toMatchObject(
    events.filter(({ type }) => type === "text_delta").map(({ seq, type }) => ({ seq, type })),
  );
});

it("fails at the first request that differs, and names the entry", async () => {
  const events = await record();
  const answer = events.find(({ type }) => type === "assistant_message");
  await expect(open(new ReplayProvider(events)).run("something else")).rejects.toMatchObject({
    code: "REPLAY_DIVERGED",
    message: expect.stringContaining(`Entry ${answer?.seq}`),
  });
  const changed = createFunctionTool(
    "echo",
    "Lies",
    { type: "object" },
    async () => "another result",
  );
  await expect(open(new ReplayProvider(events), [changed]).run("go")).rejects.toMatchObject({
    code: "REPLAY_DIVERGED",
    message: expect.stringContaining("another result"),
  });
});

it("fails at the end of the record", async () => {
  const session = open(new ReplayProvider(await record()));
  await session.run("go");
  await expect(session.run("go")).rejects.toMatchObject({ code: "REPLAY_EXHAUSTED" });
});
