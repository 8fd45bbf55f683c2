import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { expectWithin } from "../../support/time/own-time.ts";

const open = (): InteractiveSession =>
  new InteractiveSession({ platform: memoryPlatform(), provider: new ScriptedProvider([]) });

describe("long arguments of a command", () => {
  it.each(["permissions explain Read", "plugins install", "plugins confirm"])(
    "take linear time with many spaces between two words: /%s",
    async (line) => {
      const session = open();
      const [name = "", ...words] = line.split(" ");
      const run = (text: string) => session.executeCommand(name, [...words, text].join(" "));
      await run("a b");
      await expectWithin(1_000, () => run(`a${" ".repeat(100_000)}b`));
      await session.shutdown();
    },
  );

  it("are completed in linear time", async () => {
    const session = open();
    await session.completeCommand("/");
    const line = `/mode ${"x".repeat(100_000)} `;
    await expectWithin(1_000, async () => expect(await session.completeCommand(line)).toEqual([]));
    await session.shutdown();
  });
});
