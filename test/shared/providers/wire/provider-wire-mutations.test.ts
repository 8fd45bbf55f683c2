import { type AssistantMessage, contentText, ProviderError } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import { type WireEvent, wires } from "../../../support/wire/wire-events.ts";
import { wireFetch } from "../../../support/wire/wire-fetch.ts";
import { providers, user, wirePaths } from "../../../support/wire/wire-providers.ts";
import type { WireAnswer } from "../../../support/wire/wire-script.ts";
import { expectWithin } from "../../../support/time/own-time.ts";

const answer: WireAnswer = {
  thinking: ["Let me ", "see."],
  text: ["Look", "ing 👋🏽."],
  calls: [
    { id: "call_a", name: "Read", args: ['{"filePath"', ':"a', '.md"}'] },
    { id: "call_b", name: "Read", args: ['{"filePath":', '"b.md"}'] },
  ],
};
const UNKNOWN: Record<string, string> = {
  "/messages": 'event: new_kind\ndata: {"type":"new_kind","index":9}\n\n',
  "/chat/completions": 'data: {"object":"new.kind","choices":[]}\n\n',
  "/responses": 'event: response.new_kind\ndata: {"type":"response.new_kind"}\n\n',
};

interface Outcome {
  message?: AssistantMessage;
  error?: unknown;
  shown: string;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function read(wire: string, stream: string | Uint8Array[]): Promise<Outcome> {
  const { fetch } = wireFetch(() => stream);
  const provider = providers[wire]?.("http://127.0.0.1:9", { fetch, maxRetries: 0 });
  let shown = "";
  try {
    const message = await provider?.chat([user("Hi")], {
      onTextDelta: (delta) => (shown += delta),
    });
    return { ...(message && { message }), shown };
  } catch (error) {
    return { error, shown };
  }
}

/** The invariants of any stream: nothing shown is lost, and no incomplete call can run. */
function expectSound({ message, error, shown }: Outcome, mutation: string): void {
  if (!message) {
    expect(error, mutation).toBeInstanceOf(ProviderError);
    expect(shown, mutation).toBe("");
    return;
  }
  expect(contentText(message.content), mutation).toBe(shown);
  if (message.state === "interrupted") {
    expect(message.toolCalls, mutation).toBeUndefined();
    return;
  }
  for (const call of message.toolCalls ?? []) {
    if (call.rawArgs !== undefined || call.name === "") continue;
    expect(["a.md", "b.md"], mutation).toContain(call.args["filePath"]);
  }
}

describe.each(Object.keys(providers))("%s", (wire) => {
  const path = wirePaths[wire] ?? "";
  const speech = wires[path];
  const all: WireEvent[] = speech?.events(answer) ?? [];
  const texts = all.map(({ text }) => text);

  it("runs no incomplete call and loses no shown text, whichever event is missing, repeated or early", async () => {
    for (const index of texts.keys()) {
      const without = texts.toSpliced(index, 1);
      expectSound(await read(wire, without.join("")), `without ${index}: ${texts[index]}`);
      const twice = texts.toSpliced(index, 0, texts[index] ?? "");
      expectSound(await read(wire, twice.join("")), `twice ${index}: ${texts[index]}`);
      const swapped = texts.toSpliced(index, 2, texts[index + 1] ?? "", texts[index] ?? "");
      expectSound(await read(wire, swapped.join("")), `swapped ${index}: ${texts[index]}`);
    }
  });

  it("runs no incomplete call and loses no shown text, wherever the stream ends", async () => {
    const bytes = bytesOf(texts.join(""));
    const end = speech === undefined ? 0 : bytesOf(texts.slice(0, -2).join("")).length;
    for (let length = 1; length < end; length += 13) {
      const outcome = await read(wire, [bytes.subarray(0, length)]);
      expectSound(outcome, `cut at ${length}`);
      if (path !== "/chat/completions") expect(outcome.message?.state).not.toBe("complete");
    }
  });

  it("ignores a byte order mark, comments, pings, unknown events, line ends and chunk boundaries", async () => {
    const plain = await read(wire, texts.join(""));
    expect(plain.message).toMatchObject({ state: "complete", stopReason: "tool_use" });
    const extras = [": comment\n", speech?.ping ?? "", UNKNOWN[path] ?? "", "id: 7\nretry: 5\n\n"];
    const padded = `\uFEFF${texts.map((text, index) => (extras[index % 4] ?? "") + text).join("")}`;
    const random = seeded(7);
    for (let run = 0; run < 30; run += 1) {
      const lineEnd = ["\n", "\r\n", "\r"][run % 3] ?? "\n";
      const bytes = bytesOf(padded.replaceAll("\n", lineEnd));
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length;) {
        const length = 1 + Math.floor(random() * 40);
        pieces.push(bytes.subarray(at, at + length));
        at += length;
      }
      const { message, shown } = await read(wire, pieces);
      expect(shown).toBe(plain.shown);
      expect(message?.content).toEqual(plain.message?.content);
      expect(message?.toolCalls).toEqual(plain.message?.toolCalls);
      expect(message?.usage).toEqual(plain.message?.usage);
    }
  });

  it("reads an event of ten megabytes in small chunks in linear time", async () => {
    const text = "0123456789".repeat(1_000_000);
    const large = speech?.events({ text: [text] }).map((event) => event.text) ?? [];
    const bytes = bytesOf(large.join(""));
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += 4_096) pieces.push(bytes.subarray(at, at + 4_096));
    await expectWithin(8_000, async () => {
      const { shown, message } = await read(wire, pieces);
      expect(shown.length).toBe(text.length);
      expect(message?.state).toBe("complete");
      // It takes a fraction of a second; time that grows with the square of the length would be minutes.
    });
  });
});

/** The same numbers in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
