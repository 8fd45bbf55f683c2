import {
  ConversationService,
  createQuery,
  type Provider,
  ProviderError,
  Robota,
  Session,
} from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";

const own = {
  name: "own",
  model: "own-1",
  chat: () => Promise.reject(new Error("not used")),
} satisfies Partial<Provider>;

/** A program's own provider with a mistake in it. */
function failing(error: unknown): Provider {
  return {
    ...own,
    // oxlint-disable-next-line require-yield
    async *chatStream() {
      throw error;
    },
  };
}

const mistake = new TypeError("x is not a function");
const facts = {
  code: "PROVIDER_ERROR",
  message: "x is not a function",
  hint: "Check the cause, the provider's own error.",
  category: "provider",
  recoverable: false,
  provider: "own",
};

async function failureOf(run: Promise<unknown>): Promise<unknown> {
  try {
    await run;
  } catch (error) {
    return error;
  }
  throw new Error("It did not fail");
}

function expectOwnError(error: unknown): void {
  expect(error).toBeInstanceOf(ProviderError);
  expect(error).toMatchObject({ ...facts, cause: mistake });
}

it("a session stores, reports and throws one and the same error of a provider", async () => {
  const session = new Session({ platform: memoryPlatform(), provider: failing(mistake) });
  const reported: unknown[] = [];
  session.subscribe((event) => {
    if (event.type === "assistant_message") reported.push(event.message.error);
    if (event.type === "turn_end") reported.push(event.error);
  });
  expectOwnError(await failureOf(session.run("Hello")));
  expect(reported).toEqual([facts, facts]);
  await session.shutdown();
});

it("an agent, a query and a conversation give the error of a provider a code, a hint and its cause", async () => {
  const provider = failing(mistake);
  expectOwnError((await new Robota({ provider }).run("Hello")).error);
  expectOwnError(await failureOf(createQuery({ platform: memoryPlatform(), provider })("Hello")));
  const conversations = new ConversationService({ provider });
  expectOwnError(await failureOf(conversations.send(conversations.begin(), "Hello")));
});

it("what a provider throws that is no error is described by its message", async () => {
  const { error } = await new Robota({ provider: failing({ message: "no route" }) }).run("Hello");
  expect(error).toMatchObject({ code: "PROVIDER_ERROR", message: "no route" });
});

it("an error of the SDK stays the provider's own", async () => {
  const given = new ProviderError("busy", { provider: "upstream", code: "OVERLOADED" });
  expect((await new Robota({ provider: failing(given) }).run("Hello")).error).toBe(given);
});

it("a stream that ends without a message is a failure of its provider", async () => {
  const provider: Provider = {
    ...own,
    async *chatStream() {
      yield { type: "text_delta", delta: "Hel" };
    },
  };
  const { error } = await new Robota({ provider }).run("Hello");
  expect(error).toBeInstanceOf(ProviderError);
  expect(error).toMatchObject({
    code: "PROTOCOL_ERROR",
    message: "own ended its stream without a message",
    hint: "End the stream of the provider with a `message` event.",
  });
});
