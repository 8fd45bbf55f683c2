import { withHost } from "#host";
import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

it("a result has the history of its moment, also when it is read later", () =>
  withHost(async ({ platform }) => {
    const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
    const session = new InteractiveSession({ platform, provider, trackFiles: false });
    const first = await session.submit("First");
    const second = await session.submit("Second");
    const texts = ({ history }: typeof first): unknown[] =>
      history.flatMap(({ category, data }) =>
        category === "chat" ? [(data as { content: unknown }).content] : [],
      );
    expect(texts(first)).toEqual(["First", "one"]);
    expect(texts(second)).toEqual(["First", "one", "Second", "two"]);
    expect(second.history).toEqual(session.getFullHistory());
    await session.shutdown();
  }));
