import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssistantMessage, Content, Message, ToolMessage } from "./message.ts";
import { createRequestView, RequestView, UNKNOWN_OUTCOME } from "./project.ts";

const HALF = "\ud83d";
const timestamp = new Date(0);
const user = (content: Content): Message => ({ role: "user", id: "u", timestamp, content });
const assistant = (
  content: Content,
  ids: readonly string[] = [],
  facts: Partial<AssistantMessage> = {},
): AssistantMessage => ({
  role: "assistant",
  id: `a-${ids.join("-")}`,
  timestamp,
  content,
  state: "complete",
  ...(ids.length > 0 && { toolCalls: ids.map((id) => ({ id, name: "look", args: {} })) }),
  ...facts,
});
const result = (toolCallId: string, content: Content = "seen"): ToolMessage => ({
  role: "tool",
  id: `r-${toolCallId}`,
  timestamp,
  toolCallId,
  name: "look",
  content,
});

const project = (source: readonly Message[]): readonly Message[] =>
  new RequestView().update(source);
const repairsOf = (source: readonly Message[]): string[] => {
  const view = new RequestView();
  view.update(source);
  return view.repairs.map(({ kind }) => kind);
};

describe("the view of a history for a provider", () => {
  it("is the history itself when it is valid", () => {
    const source = [user("hi"), assistant("", ["1", "2"]), result("1"), result("2"), user("so?")];
    const view = project(source);
    expect(view).toEqual(source);
    expect(view.every((message, index) => message === source[index])).toBe(true);
    expect(repairsOf(source)).toEqual([]);
  });

  it("begins with the system message", () => {
    const view = createRequestView("Be kind", timestamp).update([user("hi")]);
    expect(view.map(({ role }) => role)).toEqual(["system", "user"]);
  });

  it("answers calls without a result and drops results without a call", () => {
    const source = [user("hi"), result("9"), assistant("", ["1"]), user("so?"), result("1")];
    expect(project(source).map(({ role, content }) => [role, content])).toEqual([
      ["user", "hi"],
      ["assistant", ""],
      ["tool", UNKNOWN_OUTCOME],
      ["user", "so?"],
    ]);
    expect(repairsOf(source)).toEqual(["orphan_result", "missing_result", "orphan_result"]);
  });

  it("makes call ids unique across answers, including their results", () => {
    const source = [user("hi"), assistant("", ["1"]), result("1", "a")];
    const twice = [...source, assistant("", ["1"]), result("1", "b")];
    const [, , , again, answer] = project(twice);
    expect(again).toMatchObject({ toolCalls: [{ id: "1_2" }] });
    expect(answer).toMatchObject({ toolCallId: "1_2", content: "b" });
    expect(repairsOf(twice)).toEqual(["renamed_call"]);
  });

  it("accepts results that arrive one by one", () => {
    const source: Message[] = [user("hi"), assistant("", ["1", "2"])];
    const view = new RequestView();
    view.update(source);
    for (const id of ["1", "2"]) {
      source.push(result(id));
      view.update(source);
    }
    expect(view.update(source)).toEqual(source);
    expect(view.repairs).toEqual([]);
  });

  it("replaces lone surrogates from models and tools", () => {
    const broken = assistant([{ type: "text", text: `a${HALF}` }], ["1"], {
      toolCalls: [{ id: "1", name: "look", args: { [`k${HALF}`]: [`v${HALF}`] } }],
    });
    const view = project([user(HALF), broken, result("1", `r${HALF}`)]);
    expect(JSON.stringify(view)).not.toContain("\\ud83d");
    expect(view[1]).toMatchObject({ toolCalls: [{ args: { "k\ufffd": ["v\ufffd"] } }] });
  });

  it("drops signed thinking that can't be sent unchanged", () => {
    const thought = { type: "thinking", text: HALF, signature: "s" } as const;
    expect(project([user("hi"), assistant([thought, { type: "text", text: "so" }])])[1]).toEqual(
      assistant([{ type: "text", text: "so" }]),
    );
  });

  it("drops empty content: blank text, thinking alone, reports of failures", () => {
    const source = [
      user("hi"),
      user("  "),
      user([]),
      assistant(""),
      assistant([{ type: "thinking", text: "hm" }]),
      assistant("It failed", [], { error: { code: "X", message: "down" } }),
      assistant("", ["1"], { state: "interrupted" }),
    ];
    expect(project(source)).toEqual([user("hi")]);
  });
});

/** Reasons for a provider to refuse a request with these messages. */
function problemsOf(view: readonly Message[]): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of view.entries()) {
    const say = (problem: string): void => void problems.push(`${index}: ${problem}`);
    if (message.role === "tool") {
      if (message.toolCallId !== open[0]) say(`result of ${message.toolCallId}, not ${open[0]}`);
      open = open.slice(1);
    } else {
      if (open.length > 0) say(`no result for ${open.join()}`);
      open = [];
    }
    if (!["system", "user", "assistant", "tool"].includes(message.role)) say("unknown role");
    if (message.role === "assistant") {
      for (const call of message.toolCalls ?? []) {
        if (call.id.trim() === "" || call.name.trim() === "") say("a call without id or name");
        if (ids.has(call.id)) say(`the id ${call.id} again`);
        ids.add(call.id);
        open.push(call.id);
      }
      if (message.state === "interrupted" && open.length > 0) say("a cut call");
    }
    if (message.role !== "tool" && open.length === 0 && !saysSomething(message.content))
      say("empty");
    if (Array.isArray(message.content)) {
      if (message.content.some((part) => part.type === "text" && part.text.trim() === ""))
        say("an empty part");
    }
    if (/\\u[dD][89a-fA-F]/.test(JSON.stringify({ ...message, id: "" }))) say("half a character");
  }
  if (open.length > 0) problems.push(`no result for ${open.join()}`);
  const first = view.find(({ role }) => role !== "system");
  if (first && first.role !== "user") problems.push(`begins with ${first.role}`);
  return problems;
}

function saysSomething(content: Content): boolean {
  if (typeof content === "string") return content.trim() !== "";
  return content.some(
    (part) => part.type !== "thinking" && (part.type !== "text" || part.text.trim() !== ""),
  );
}

const words = fc.constantFrom("hello", "", " ", "\n", HALF, `${HALF}x`, "\udc00", "😀", "a\u0000b");
const content: fc.Arbitrary<Content> = fc.oneof(
  words,
  fc.array(
    fc.oneof(
      words.map((text) => ({ type: "text" as const, text })),
      words.map((text) => ({ type: "thinking" as const, text })),
      words.map((text) => ({ type: "thinking" as const, text, signature: "proof" })),
      fc.constant({ type: "image" as const, mediaType: "image/png", data: "AAAA" }),
    ),
    { maxLength: 3 },
  ),
);
const callId = fc.constantFrom("1", "2", "3", "1_2", "call_1", "", " ", `4${HALF}`);
const toolCall = fc.record({
  id: callId,
  name: fc.constantFrom("look", "look", "look", "", `lo${HALF}ok`),
  args: fc.dictionary(words, words, { maxKeys: 2 }),
});

/** A round as it should be: calls, and a result for each of them. */
const round = fc
  .tuple(content, fc.array(toolCall, { maxLength: 3 }), content)
  .map(([said, calls, seen]): Message[] => [
    assistant(said, [], calls.length > 0 ? { toolCalls: calls } : {}),
    ...calls.map(({ id }) => result(id, seen)),
  ]);
const damagedMessage: fc.Arbitrary<Message[]> = fc.oneof(
  round,
  round,
  content.map((said) => [user(said)]),
  content.map((said): Message[] => [{ role: "system", id: "s", timestamp, content: said }]),
  callId.map((id) => [result(id)]),
  round.map(([first]) => [{ ...first, state: "interrupted" } as Message]),
  content.map((said) => [assistant(said, [], { error: { code: "X", message: "down" } })]),
);
type Damage = { kind: "drop" | "double" | "swap" | "cut"; at: number };
const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom("drop", "double", "swap", "cut"),
  at: fc.nat(30),
});

function damaged(history: readonly Message[], damages: readonly Damage[]): Message[] {
  let messages = [...history];
  for (const { kind, at } of damages) {
    const index = messages.length > 0 ? at % messages.length : 0;
    const message = messages[index];
    if (!message) break;
    if (kind === "drop") messages.splice(index, 1);
    else if (kind === "double") messages.splice(index, 0, message);
    else if (kind === "cut") messages = messages.slice(0, index + 1);
    else messages.splice(index, 2, ...messages.slice(index, index + 2).toReversed());
  }
  return messages;
}

const history = fc
  .tuple(
    fc.array(damagedMessage, { maxLength: 8 }).map((groups) => groups.flat()),
    fc.array(damage, { maxLength: 5 }),
  )
  .map(([messages, damages]) => damaged(messages, damages));

it("is acceptable to every provider, for any history", () => {
  let repaired = 0;
  fc.assert(
    fc.property(history, (source) => {
      const before = structuredClone(source);
      const view = new RequestView();
      const problems = problemsOf(view.update(source));
      expect(problems).toEqual([]);
      expect(source).toEqual(before);
      if (view.repairs.length > 0) repaired += 1;
    }),
    { numRuns: 5000 },
  );
  // Sound histories alone would prove nothing.
  expect(repaired).toBeGreaterThan(2500);
});

it("is the same for a history built at once or incrementally", () => {
  fc.assert(
    fc.property(history, fc.array(fc.integer({ min: 1, max: 4 })), (whole, steps) => {
      const growing: Message[] = [];
      const view = new RequestView([{ role: "system", id: "lead", timestamp, content: "lead" }]);
      for (const step of [...steps, whole.length]) {
        growing.push(...whole.slice(growing.length, growing.length + step));
        view.update(growing);
      }
      const fresh = new RequestView([{ role: "system", id: "lead", timestamp, content: "lead" }]);
      expect(view.update(growing)).toEqual(fresh.update(whole));
      expect(view.repairs).toEqual(fresh.repairs);
    }),
    { numRuns: 5000 },
  );
});
