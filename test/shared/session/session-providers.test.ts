import { withHost } from "#host";
import { replaySession, Session } from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, inject, it } from "vitest";
import { chatProblem, messagesProblem, responsesProblem } from "../../support/request-rules.ts";
import { echo } from "../../support/support.ts";
import { providers } from "../../support/wire/wire-providers.ts";
import { requestsOf, scriptAddress, type WireRequest } from "../../support/wire/wire-script.ts";

const problems: Record<string, typeof messagesProblem> = {
  "anthropic messages": messagesProblem,
  "openai responses": responsesProblem,
  "openai chat": chatProblem,
  "a compatible server": chatProblem,
};
/** What one service alone can read of its own thoughts. */
const proofs: Record<string, string> = {
  "anthropic messages": '"sig"',
  "openai responses": '"opaque"',
};

/** Each wire goes on with what every other one said before it, and with its own again. */
const order = [...Object.keys(problems), ...Object.keys(problems).reverse()];

it("goes from one provider to the next in the middle, tools and thoughts in its history", async () => {
  await withHost(async ({ platform }) => {
    const sessionId = crypto.randomUUID();
    const asked: { wire: string; request: WireRequest }[] = [];
    for (const [turn, wire] of order.entries()) {
      const call = { id: `call_${turn}`, name: "echo", args: [`{"text":"echo ${turn}"}`] };
      const script = {
        id: crypto.randomUUID(),
        replies: [
          { answer: { thinking: ["Let me see."], text: ["Looking."], calls: [call] } },
          { answer: { text: [`Answer ${turn}`] } },
        ],
      };
      const provider = providers[wire]?.(scriptAddress(inject("wireOrigin"), script));
      if (!provider) throw new Error(`no provider for ${wire}`);
      const session = new Session({ platform, provider, sessionId, tools: [echo] });
      expect(await session.run(`Question ${turn}`)).toBe(`Answer ${turn}`);
      await session.shutdown();
      const requests = await requestsOf(inject("wireOrigin"), script);
      expect(requests).toHaveLength(2);
      asked.push(...requests.map((request) => ({ wire, request })));
    }

    for (const [index, { wire, request }] of asked.entries()) {
      const body = request.body as Record<string, unknown>;
      const text = JSON.stringify(body);
      expect(problems[wire]?.(body), `request ${index} to ${wire}`).toBeUndefined();
      const turn = Math.floor(index / 2);
      for (let before = 0; before < turn; before += 1)
        for (const said of [`Question ${before}`, `"call_${before}"`, `Answer ${before}`])
          expect(text, `request ${index} to ${wire}`).toContain(said);
      for (const [owner, proof] of Object.entries(proofs))
        if (owner !== wire) expect(text).not.toContain(proof);
    }
    // Back at its own service, each finds its thoughts of long ago.
    for (const [owner, proof] of Object.entries(proofs)) {
      const last = asked.findLast(({ wire }) => wire === owner);
      expect(JSON.stringify(last?.request.body).split(proof).length).toBeGreaterThan(2);
    }

    const recorded = await Array.fromAsync(platform.storage.read(`sessions/${sessionId}`));
    const { records } = await replaySession(
      { storage: platform.storage, sessionId },
      memoryPlatform(),
    );
    expect(records).toEqual(recorded.map(({ value }) => value));
  });
});
