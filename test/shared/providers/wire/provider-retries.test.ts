import { describe, expect, it } from "vitest";
import { wires } from "../../../support/wire/wire-events.ts";
import { wireFetch } from "../../../support/wire/wire-fetch.ts";
import { hello, providers, user, wirePaths } from "../../../support/wire/wire-providers.ts";
import { turnClock } from "../../../support/time/own-time.ts";

interface Outcome {
  shown: string;
  error: unknown;
  requests: number;
  waitedMs: number;
  waitedTurnMs: number;
}

type Advice = Record<string, string>;

/** One call whose first request is refused with this status and these headers, or with what they are at that moment. */
async function after(
  wire: string,
  status: number,
  advice: Advice | (() => Advice),
): Promise<Outcome> {
  const times: number[] = [];
  const turns: number[] = [];
  using clock = turnClock();
  const answer = wires[wirePaths[wire] ?? ""]?.events(hello) ?? [];
  const { fetch } = wireFetch((_, call) => {
    times.push(performance.now());
    turns.push(clock.ms());
    const headers = typeof advice === "function" ? advice() : advice;
    return call === 0
      ? Response.json({ error: { message: "not now" } }, { status, headers })
      : answer.map(({ text }) => text).join("");
  });
  const provider = providers[wire]?.("http://127.0.0.1:9", { fetch });
  let shown = "";
  let error: unknown;
  await provider
    ?.chat([user("Hi")], { onTextDelta: (delta) => (shown += delta) })
    .catch((reason: unknown) => (error = reason));
  const between = ([first = 0, second = 0]: number[]): number => second - first;
  const waits = { waitedMs: between(times), waitedTurnMs: between(turns) };
  return { shown, error, requests: times.length, ...waits };
}

describe.each(Object.keys(providers))("%s", (wire) => {
  it("retries after every recoverable status, and after no other", async () => {
    const soon = { "retry-after-ms": "5" };
    const passing = [408, 409, 429, 500, 502, 503, 504, 529];
    for (const outcome of await Promise.all(passing.map((status) => after(wire, status, soon))))
      expect(outcome).toMatchObject({ shown: "Hello wörld 👋🏽", requests: 2 });
    const final = [400, 401, 402, 403, 404, 405, 413, 422];
    for (const outcome of await Promise.all(final.map((status) => after(wire, status, soon)))) {
      expect(outcome).toMatchObject({ shown: "", requests: 1 });
      expect(outcome.error).toMatchObject({ recoverable: false });
    }
  });

  it("waits as long as the response says, in every format", async () => {
    const inTwoSeconds = (): Advice => ({
      "retry-after": new Date(Date.now() + 2_000).toUTCString(),
    });
    const forms: [advice: Advice | (() => Advice), shortest: number, longest: number][] = [
      [{ "retry-after-ms": "60" }, 50, 350],
      [{ "retry-after-ms": "60", "retry-after": "9" }, 50, 350],
      [{ "retry-after": "1" }, 950, 1_900],
      [{ "retry-after": "0.1" }, 90, 350],
      // Dates have no parts of a second.
      [inTwoSeconds, 700, 2_500],
      // A value that does not lie in the future leaves the usual first delay, between 375 and 500 ms.
      [{ "retry-after": "0" }, 350, 1_200],
      [{ "retry-after": "-3" }, 350, 1_200],
      [{ "retry-after": "soon" }, 350, 1_200],
      [{ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, 350, 1_200],
    ];
    const outcomes = await Promise.all(forms.map(([advice]) => after(wire, 429, advice)));
    for (const [index, [advice, shortest, longest]] of forms.entries()) {
      const { shown = "", waitedMs = 0, waitedTurnMs = 0 } = outcomes[index] ?? {};
      const form = typeof advice === "function" ? advice.name : JSON.stringify(advice);
      expect(shown, form).toBe("Hello wörld 👋🏽");
      expect(waitedMs, form).toBeGreaterThan(shortest);
      expect(waitedTurnMs, form).toBeLessThan(longest);
    }
  });

  it("leaves a delay of more than a minute to the caller, and reports it", async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const headers = [{ "retry-after": "1000000000" }, { "retry-after": date }];
    for (const outcome of await Promise.all(headers.map((header) => after(wire, 503, header)))) {
      expect(outcome).toMatchObject({ requests: 1 });
      expect(outcome.error).toMatchObject({ code: "RATE_LIMIT_ERROR", recoverable: true });
      const { retryAfterMs } = outcome.error as { retryAfterMs: number };
      expect(retryAfterMs).toBeGreaterThan(3_500_000);
    }
  });
});
