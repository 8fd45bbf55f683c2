import { expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { contentText } from "../messages/message.ts";
import type { BeforeRunDecision, PluginRun } from "../plugins/plugin.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { AbstractPlugin, type IPluginContract } from "./index.ts";

class Polite extends AbstractPlugin {
  readonly name = "polite";
  override readonly category = "event_processing";
  override readonly priority = "high";
  readonly #ending = ", please";

  beforeRun({ input }: PluginRun): BeforeRunDecision {
    return { input: `${contentText(input)}${this.#ending}` };
  }

  async afterRun(): Promise<void> {
    throw new Error("tired");
  }
}

it("runs hooks written as methods, counts them, and can be disabled", async () => {
  const provider = new ScriptedProvider([{ text: "1" }, { text: "2" }, { text: "3" }]);
  const plugin = new Polite();
  const reported: string[] = [];
  const agent = new Robota({
    provider,
    plugins: [plugin satisfies IPluginContract],
    onPluginError: ({ message }) => reported.push(message),
  });

  await agent.run("one");
  plugin.disable();
  await agent.run("two");
  plugin.enable();
  await agent.run("three");

  const said = provider.requests.map(({ messages }) => messages.at(-1)?.content);
  expect(said).toEqual(["one, please", "two", "three, please"]);
  expect(plugin.getStats()).toMatchObject({
    enabled: true,
    calls: { beforeRun: 2, afterRun: 2, onError: 0 },
    errors: 2,
  });
  expect(reported).toHaveLength(2);
});

it("disables and counts hooks written as fields", async () => {
  class Fields extends AbstractPlugin {
    readonly name = "fields";
    beforeRun = ({ input }: PluginRun): BeforeRunDecision => ({ input: `${contentText(input)}!` });
    onStreamChunk = (): void => {
      throw new Error("tired");
    };
  }
  const provider = new ScriptedProvider([{ text: "1" }, { text: "2" }]);
  const plugin = new Fields();
  const agent = new Robota({ provider, plugins: [plugin] });
  await agent.run("one");
  plugin.disable();
  await agent.run("two");
  const said = provider.requests.map(({ messages }) => messages.at(-1)?.content);
  expect(said).toEqual(["one!", "two"]);
  expect(plugin.getStats()).toMatchObject({
    enabled: false,
    calls: { beforeRun: 1, onStreamChunk: 1, afterRun: 0 },
    errors: 1,
  });
});

it("omits hooks that the subclass does not have", () => {
  const plugin: IPluginContract = new Polite();
  expect(["onStreamChunk" in plugin, "beforeRun" in plugin]).toEqual([false, true]);
});
