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
/** The proofs of thinking that only one service can read. */
const proofs: Record<string, string> = {
  "anthropic messages": '"sig"',
  "openai responses": '"opaque"',
};

/** Each wire goes on with what every other one said before it, and with its own again. */
const order = [...Object.keys(problems), ...Object.keys(problems).reverse()];

it("continues with another provider, with tools and thinking in its history", async () => {
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

it("switches from wire to wire in one session, with the parts that each service accepts", async () => {
  await withHost(async ({ platform }) => {
    const wires = ["anthropic messages", "openai responses", "openai chat"];
    // There and back again, each with its own earlier thoughts.
    const visits = [...wires, ...wires.slice(0, 2).reverse(), "anthropic messages"];
    const origin = inject("wireOrigin");
    const scripts = visits.map((wire, visit) => {
      // Ids as some services write them, which others reject.
      const id = `call|${visit}${".x".repeat(40)}`;
      const call = { id, name: "echo", args: [`{"text":"echo ${visit}"}`] };
      const replies = [
        { answer: { thinking: [`Thought ${visit}`], text: ["Looking."], calls: [call] } },
        { answer: { thinking: [`More ${visit}`], text: [`Answer ${visit}`] } },
      ];
      return { wire, script: { id: crypto.randomUUID(), replies } };
    });
    const made = scripts.map(({ wire, script }) => {
      const provider = providers[wire]?.(scriptAddress(origin, script));
      if (!provider) throw new Error(`no provider for ${wire}`);
      return provider;
    });
    const [first] = made;
    if (!first) throw new Error("no provider");
    const session = new Session({
      platform,
      provider: first,
      tools: [echo],
      permissionMode: "bypassPermissions",
    });
    for (const [visit, provider] of made.entries()) {
      if (visit > 0) await session.setProvider(provider);
      expect(await session.run(`Question ${visit}`)).toBe(`Answer ${visit}`);
    }
    const { sessionId } = session;
    await session.shutdown();

    for (const [visit, { wire, script }] of scripts.entries()) {
      const requests = await requestsOf(origin, script);
      expect(requests).toHaveLength(2);
      for (const { body } of requests) {
        const sent = body as Record<string, unknown>;
        expect(problems[wire]?.(sent), `visit ${visit} to ${wire}`).toBeUndefined();
        for (const id of idsIn(sent)) expect(id).toMatch(ACCEPTED[wire] ?? /^/);
        const text = JSON.stringify(sent);
        for (let before = 0; before < visit; before += 1) {
          expect(text).toContain(`said echo ${before}`);
          const isOwn = scripts[before]?.wire === wire;
          // Thoughts of another service, or by another of its APIs, are in no request.
          if (!isOwn) expect(text).not.toContain(`"Thought ${before}"`);
        }
        for (const [owner, proof] of Object.entries(proofs))
          if (owner !== wire) expect(text).not.toContain(proof);
      }
    }
    const recorded = await Array.fromAsync(platform.storage.read(`sessions/${sessionId}`));
    const { records } = await replaySession(
      { storage: platform.storage, sessionId },
      memoryPlatform(),
    );
    expect(records).toEqual(recorded.map(({ value }) => value));
  });
});

it("sends thinking only to the model that produced it", async () => {
  const script = {
    id: crypto.randomUUID(),
    replies: [{ answer: { thinking: ["Hm."], text: ["Yes"] } }],
  };
  const origin = inject("wireOrigin");
  const provider = providers["anthropic messages"]?.(scriptAddress(origin, script));
  if (!provider) throw new Error("no provider");
  const session = new Session({ platform: memoryPlatform(), provider });
  await session.run("1");
  await session.run("2");
  await session.setModel("claude-opus-5");
  await session.run("3");
  await session.setModel("wire-model");
  await session.run("4");
  const requests = await requestsOf(origin, script);
  const proofsSent = requests.map(({ body }) => JSON.stringify(body).split('"sig"').length - 1);
  // The wire names itself in each answer, whichever model is asked.
  expect(proofsSent).toEqual([0, 1, 0, 3]);
});

/** Ids of calls that the services accept. */
const ACCEPTED: Record<string, RegExp> = {
  "anthropic messages": /^[\w-]+$/,
  "openai responses": /^.{1,64}$/,
};

function idsIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") {
    const isId = /^(?:call_id|tool_call_id|tool_use_id)$/.test(key);
    return isId || (key === "id" && value.startsWith("call")) ? [value] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => idsIn(inner, name));
}
