import { withHost } from "#host";
import { describe, expect, it } from "vitest";
import {
  agentCall,
  MAIN,
  type Played,
  played,
  results,
  WORKER,
} from "../../../support/agent-support.ts";
import { cutAt, CUT, NEVER } from "../../../support/recovery/cut-turn.ts";
import type { Script } from "../../../support/settings-support.ts";

/** Words in the system message of the agent that only reads. */
const READER = "search";

/** Cuts the turn of a session while its agent's model is asked, and goes on with it in another one. */
async function cutInAgent(
  kind: "Explore" | "general-purpose",
  later: Record<string, Script>,
  look: (again: Played) => Promise<void>,
): Promise<void> {
  await withHost(async ({ platform, cwd }) => {
    const options = {
      cwd,
      sessionId: CUT,
      permissionMode: "bypassPermissions",
      trackFiles: false,
      onInterruptedTurn: "continue",
    } as const;
    const first = { toolCalls: [agentCall(kind, "Find it")] };
    const died = played(
      { [MAIN]: [first], [WORKER]: [NEVER], [READER]: [NEVER] },
      { ...options, platform },
    );
    died.session.submit("Go").catch(() => undefined);
    const storage = await cutAt(platform.storage, /"agent_start"/);
    const again = played(later, { ...options, platform: { ...platform, storage } });
    await again.session.ready;
    await expect.poll(() => again.session.isExecuting()).toBe(false);
    await look(again);
    await again.session.shutdown();
    await died.session.shutdown();
  });
}

describe("a turn that was cut while one of its agents worked", () => {
  it("starts an agent over that only reads", () =>
    cutInAgent(
      "Explore",
      { [MAIN]: [{ text: "Done" }], [READER]: [{ text: "Found" }] },
      async ({ session, asked }) => {
        expect(asked.map(({ who }) => who)).toEqual([READER, MAIN]);
        expect(results(session)).toEqual([expect.stringContaining("Found")]);
        expect(session.getMessages().at(-1)).toMatchObject({ content: "Done" });
      },
    ));

  it("starts no agent over that can write: the model is told that the outcome is unknown", () =>
    cutInAgent(
      "general-purpose",
      { [MAIN]: [{ text: "Checked" }], [WORKER]: [] },
      async ({ session, asked }) => {
        expect(asked.map(({ who }) => who)).toEqual([MAIN]);
        expect(results(session)).toEqual([expect.stringContaining("outcome is unknown")]);
        expect(session.getMessages().at(-1)).toMatchObject({ content: "Checked" });
      },
    ));
});
