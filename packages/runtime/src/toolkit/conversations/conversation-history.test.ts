import { describe, expect, it } from "vitest";
import { type AssistantMessage, contentText, type Message } from "../../messages/message.ts";
import { ConversationHistory } from "./conversation-history.ts";
import { ConversationStore } from "./conversation-store.ts";

const user = (content: string): Message => ({
  role: "user",
  id: content,
  timestamp: new Date(0),
  content,
});
const texts = (store: ConversationStore): string[] =>
  store.getMessages().map(({ content }) => contentText(content));

describe("a conversation", () => {
  it("takes messages and entries of other kinds, and numbers them", () => {
    const store = new ConversationStore();
    store.addMessage(user("Hi"));
    store.addEntry({
      id: "e",
      seq: 99,
      timestamp: new Date(0),
      category: "event",
      type: "tool-summary",
      data: { tools: 1 },
    });
    store.addMessage(user("Still there?"));
    expect(store.getHistory().map(({ seq, type }) => [seq, type])).toEqual([
      [1, "user"],
      [2, "tool-summary"],
      [3, "user"],
    ]);
    expect(texts(store)).toEqual(["Hi", "Still there?"]);
  });

  it("commits a streamed answer, complete or cut, with the shown text", () => {
    const store = new ConversationStore();
    for (const delta of ["Hel", "lo"]) store.appendText(delta);
    expect([store.pendingText, store.length]).toEqual(["Hello", 0]);
    expect(store.commitAssistant("interrupted")).toMatchObject({
      content: "Hello",
      state: "interrupted",
    });
    expect([store.pendingText, store.length]).toEqual(["", 1]);
    const answer: AssistantMessage = {
      role: "assistant",
      id: "a",
      timestamp: new Date(0),
      content: "Bye",
      state: "complete",
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    };
    expect(store.commitAssistant("complete", answer)).toEqual(answer);
    expect(store.commitAssistant("complete")).toBeUndefined();
    expect(store.length).toBe(2);
  });

  it("returns the same snapshot until it changes, and never mutates one", () => {
    const store = new ConversationStore();
    store.addMessage(user("a"));
    const shown = store.getHistory();
    expect(store.getHistory()).toBe(shown);
    store.addMessage(user("b"));
    expect([shown.length, store.getHistory().length]).toEqual([1, 2]);
  });

  it("branches anywhere, also from branches", () => {
    const trunk = new ConversationStore();
    for (const text of ["1", "2", "3"]) trunk.addMessage(user(text));
    const branch = trunk.fork(2);
    branch.addMessage(user("2b"));
    branch.addMessage(user("3b"));
    const twig = branch.fork(3);
    twig.addMessage(user("twig"));
    const early = twig.fork(1);
    trunk.addMessage(user("4"));
    branch.addMessage(user("4b"));
    early.addMessage(user("early"));
    expect([trunk, branch, twig, early, trunk.fork(), trunk.fork(0)].map(texts)).toEqual([
      ["1", "2", "3", "4"],
      ["1", "2", "2b", "3b", "4b"],
      ["1", "2", "2b", "twig"],
      ["1", "early"],
      ["1", "2", "3", "4"],
      [],
    ]);
    expect(twig.getHistory().map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(twig.getHistory()[0]).toBe(trunk.getHistory()[0]);
    expect(() => trunk.fork(9)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
  });

  it("appends in constant time", () => {
    const cost = (length: number): number => {
      const store = new ConversationStore();
      const message = user("x");
      const begun = performance.now();
      for (let count = 0; count < length; count++) {
        store.addMessage(message);
        if (count % 1000 === 0) store.fork();
      }
      return performance.now() - begun;
    };
    // The least of each is its cost without the other load of the machine, and takes more rounds under more of it.
    let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // Eight times as many: eight times as long, and sixty-four times if each append looked at all of it.
    const growth = (): number => many / Math.max(few, 4);
    for (let round = 0; round < 3 || (round < 15 && growth() >= 30); round++) {
      many = Math.min(many, cost(160_000));
      few = Math.min(few, cost(20_000));
    }
    expect(growth()).toBeLessThan(30);
  });
});

describe("several conversations", () => {
  it("are listed by latest change", () => {
    let time = 0;
    const history = new ConversationHistory({ now: () => (time += 1) });
    const first = history.create("first");
    history.create("second");
    first.addMessage(user("Good morning"));
    expect(history.list()).toMatchObject([
      { id: "first", messageCount: 1, preview: "Good morning" },
      { id: "second", messageCount: 0, preview: "" },
    ]);
    expect([history.delete("first"), history.delete("first")]).toEqual([true, false]);
  });

  it("are limited to 50, without evicting any", () => {
    const history = new ConversationHistory();
    for (let count = 0; count < 50; count++) history.create(String(count));
    expect(() => history.create()).toThrow(expect.objectContaining({ code: "CONVERSATION_LIMIT" }));
    expect(() => history.fork("0")).toThrow(
      expect.objectContaining({ code: "CONVERSATION_LIMIT" }),
    );
    expect(history.get("0")).toBeDefined();
    history.delete("7");
    expect(history.create("new").id).toBe("new");
  });

  it("branch into new ones", () => {
    const history = new ConversationHistory();
    const source = history.create("a");
    source.addMessage(user("Hi"));
    const branch = history.fork("a", 1, "b");
    branch.addMessage(user("And?"));
    expect([texts(source), texts(branch)]).toEqual([["Hi"], ["Hi", "And?"]]);
    expect(history.list()).toHaveLength(2);
    expect(() => history.create("a")).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR" }),
    );
    expect(() => history.fork("none")).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR" }),
    );
  });

  it("return their messages as growing lists, also in a branch", () => {
    const store = new ConversationStore();
    store.addMessage(user("a"));
    const { messages } = store;
    store.addEntry({
      id: "e",
      seq: 0,
      timestamp: new Date(0),
      category: "event",
      type: "x",
      data: 1,
    });
    const branch = store.fork();
    store.addMessage(user("b"));
    branch.addMessage(user("c"));
    expect(store.messages).toBe(messages);
    expect(messages.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(branch.messages.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(store.getMessages()).toEqual(messages);
    expect(store.getMessages()).not.toBe(messages);
  });
});
