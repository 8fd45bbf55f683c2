import { Robota, type TokenUsage } from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { expect, it } from "vitest";
import { prefixCache } from "../../support/prefix-cache.ts";
import { wires } from "../../support/wire/wire-events.ts";
import { wireFetch } from "../../support/wire/wire-fetch.ts";
import { KEY } from "../../support/wire/wire-providers.ts";
import type { WireAnswer } from "../../support/wire/wire-script.ts";

const ROUNDS = 20;
const words = (count: number): string => "The quick brown fox jumps. ".repeat(count);

interface Run {
  usage: TokenUsage;
  requests: number;
  marks: number[];
}

/** A run of twenty rounds with some calls in each, against a service that caches prefixes. */
async function run(
  callsPerRound: number,
  settings: { promptCaching?: boolean } = {},
): Promise<Run> {
  const cache = prefixCache();
  const wire = wires["/messages"];
  const service = wireFetch((body, call) => {
    const calls = Array.from({ length: callsPerRound }, (_, index) => ({
      id: `call_${call}_${index}`,
      name: `Tool${index % 8}`,
      args: [JSON.stringify({ path: `file-${call}-${index}.ts` })],
    }));
    const answer: WireAnswer = call < ROUNDS - 1 ? { text: ["Next."], calls } : { text: ["Done."] };
    const usage = { ...cache(body), output: 50, reasoning: 0 };
    return (wire?.events({ ...answer, usage }) ?? []).map(({ text }) => text).join("");
  });
  const agent = new Robota({
    provider: new AnthropicProvider({
      apiKey: KEY,
      model: "claude-sonnet-5",
      baseURL: "http://127.0.0.1:9",
      fetch: service.fetch,
      dangerouslyAllowBrowser: true,
      ...settings,
    }),
    systemMessage: words(350),
    maxExecutionRounds: ROUNDS + 1,
    tools: Array.from({ length: 8 }, (_, index) => ({
      name: `Tool${index}`,
      description: words(25),
      parameters: { type: "object", properties: { path: { type: "string" } } },
      execute: () => words(30),
    })),
  });
  const { usage } = await agent.run("Go through the files.");
  const marks = service.bodies.map(
    (body) => JSON.stringify(body).split('"cache_control"').length - 1,
  );
  return { usage, requests: service.bodies.length, marks };
}

function readShare({ inputTokens, cacheReadTokens, cacheWriteTokens }: TokenUsage): number {
  return cacheReadTokens / (inputTokens + cacheReadTokens + cacheWriteTokens);
}

it("reads at least 90 % of the input tokens of a 20-round run from the service's cache", async () => {
  const { usage, requests, marks } = await run(2);
  expect(requests).toBe(ROUNDS);
  expect(readShare(usage)).toBeGreaterThanOrEqual(0.9);
  // Whatever was not read before is written; nothing of the input is paid for in full.
  expect(usage.inputTokens).toBe(0);
  expect(Math.max(...marks)).toBe(4);
});

it("finds the cache again after rounds that exceed the service's look-back", async () => {
  const { usage } = await run(30);
  expect(usage.inputTokens).toBe(0);
  expect(readShare(usage)).toBeGreaterThanOrEqual(0.85);
});

it("marks nothing when caching is off", async () => {
  const { usage, marks } = await run(1, { promptCaching: false });
  expect(Math.max(...marks)).toBe(0);
  expect(readShare(usage)).toBe(0);
});
