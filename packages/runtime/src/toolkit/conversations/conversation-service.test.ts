import { expect, it } from "vitest";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { ConversationService } from "./conversation-service.ts";

it("separates conversations and remembers each", async () => {
  const provider = new ScriptedProvider([{ text: "A1" }, { text: "B1" }, { text: "A2" }]);
  const service = new ConversationService({ provider, systemMessage: "Be kind" });
  const [a, b] = [service.begin("a"), service.begin()];
  expect((await service.send(a, "Hi from a"))?.content).toBe("A1");
  await service.send(b, "Hi from b");
  await service.send(a, "And?");
  expect(provider.requests[2]?.messages.map(({ content }) => content)).toEqual([
    "Be kind",
    "Hi from a",
    "A1",
    "And?",
  ]);
  expect(
    service.history
      .list()
      .map(({ messageCount }) => messageCount)
      .toSorted((x, y) => x - y),
  ).toEqual([2, 4]);
});

it("streams, and keeps the text of an aborted or failed answer", async () => {
  const provider = new ScriptedProvider([
    { deltas: ["one", "two"], delayMs: 5 },
    { deltas: ["three"], error: "down" },
    { error: "down at once" },
    { text: "up" },
  ]);
  const service = new ConversationService({ provider });
  const id = service.begin();
  const stop = new AbortController();
  const cut = await service.send(id, "1", { signal: stop.signal, onTextDelta: () => stop.abort() });
  expect(cut).toMatchObject({ content: "one", state: "interrupted" });
  expect(await service.send(id, "2")).toMatchObject({ content: "three", state: "interrupted" });
  await expect(service.send(id, "3")).rejects.toMatchObject({ code: "PROVIDER_ERROR" });
  expect(await service.send(id, "4")).toMatchObject({ content: "up", state: "complete" });
  expect(
    service.history
      .get(id)
      ?.getMessages()
      .map(({ content }) => content),
  ).toEqual(["1", "one", "2", "three", "3", "4", "up"]);
});

it("runs one request per conversation at a time, and conversations concurrently", async () => {
  const provider = new ScriptedProvider([{ text: "slow", delayMs: 20 }, { text: "quick" }]);
  const service = new ConversationService({ provider });
  const [a, b] = [service.begin(), service.begin()];
  const slow = service.send(a, "1");
  await expect(service.send(a, "2")).rejects.toMatchObject({ code: "SESSION_BUSY" });
  expect((await service.send(b, "3"))?.content).toBe("quick");
  expect((await slow)?.content).toBe("slow");
  await expect(service.send("none", "4")).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
});

it("adds nothing for an answer that was aborted before it began", async () => {
  const provider = new ScriptedProvider([{ delayMs: Infinity, text: "x" }]);
  const service = new ConversationService({ provider });
  const id = service.begin();
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 5);
  expect(await service.send(id, "1", { signal: stop.signal })).toBeUndefined();
  expect(service.history.get(id)?.length).toBe(1);
});

it("has constant cost per message, however long a conversation is", async () => {
  const script = Array.from({ length: 4 }, (_, index) => ({ text: `answer ${index}` }));
  const service = new ConversationService({ provider: new ScriptedProvider(script) });
  const id = service.begin();
  await service.send(id, "first");
  const conversation = service.history.lookup(id);
  const { messages } = conversation;
  const [first] = messages;
  let looks = 0;
  const content = first?.content;
  if (first) Object.defineProperty(first, "content", { get: () => ((looks += 1), content) });
  await service.send(id, "second");
  const perTurn = looks;
  await service.send(id, "third");
  await service.send(id, "fourth");
  // The provider of this test copies every request, and reads each message once for that.
  expect(looks).toBe(3 * perTurn);
  expect(perTurn).toBeLessThanOrEqual(1);
  expect(conversation.messages).toBe(messages);
  expect(messages).toHaveLength(8);
});
