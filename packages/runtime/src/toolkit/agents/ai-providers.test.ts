import { expect, it } from "vitest";
import type { Message } from "../../messages/message.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { AIProviders } from "./ai-providers.ts";
import { LocalExecutor } from "../executors/executor.ts";
import { Robota } from "../../agent/robota.ts";

const ask: Message[] = [{ role: "user", id: "1", timestamp: new Date(0), content: "Hi" }];
const scripted = (name: string, ...texts: string[]): ScriptedProvider =>
  new ScriptedProvider(
    texts.map((text) => ({ text })),
    { name, model: `${name}-1` },
  );

it("uses the first provider until another one is selected, also during a conversation", async () => {
  const [one, two] = [scripted("one", "from one"), scripted("two", "from two", "again")];
  const providers = new AIProviders([one, two]);
  const agent = new Robota({ provider: providers });
  expect((await agent.run("Hi")).text).toBe("from one");
  providers.select("two", "two-large");
  expect([providers.name, providers.model]).toEqual(["two", "two-large"]);
  expect((await agent.run("And you?")).text).toBe("from two");
  expect(two.requests[0]?.options.model).toBe("two-large");
  expect(two.requests[0]?.messages.map(({ content }) => content)).toEqual([
    "Hi",
    "from one",
    "And you?",
  ]);
  providers.select("two");
  await agent.run("Once more");
  expect(two.requests[1]?.options.model).toBeUndefined();
});

it("lists its providers and finds them by name", () => {
  const providers = new AIProviders([scripted("one")]).register(scripted("one"), "other");
  expect(providers.list()).toEqual([
    { name: "one", model: "one-1", isCurrent: true },
    { name: "other", model: "one-1", isCurrent: false },
  ]);
  expect(providers.get("other")?.name).toBe("one");
  expect(() => providers.register(scripted("one"))).toThrow(
    expect.objectContaining({ code: "CONFIGURATION_ERROR" }),
  );
  expect(() => providers.select("on")).toThrow(
    expect.objectContaining({ hint: "Did you mean one?" }),
  );
  expect(() => new AIProviders().current).toThrow(
    expect.objectContaining({ code: "CONFIGURATION_ERROR" }),
  );
});

it("executes requests in this process, by the provider that each names", async () => {
  const executor = new LocalExecutor(new AIProviders([scripted("one", "1"), scripted("two", "2")]));
  expect((await executor.execute({ messages: ask, provider: "two" })).content).toBe("2");
  const types: string[] = [];
  for await (const { type } of executor.executeStream({ messages: ask })) types.push(type);
  expect(types).toEqual(["text_delta", "message"]);
  await expect(executor.execute({ messages: ask, provider: "three" })).rejects.toMatchObject({
    code: "CONFIGURATION_ERROR",
  });
  const single = new LocalExecutor(scripted("one", "1"));
  await expect(single.execute({ messages: ask, provider: "two" })).rejects.toMatchObject({
    hint: expect.stringContaining("AIProviders"),
  });
});
