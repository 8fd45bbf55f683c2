import { withHost } from "#host";
import { Robota } from "@robota/runtime";
import {
  type RecordStore,
  StorageRecordStore,
  UsagePlugin,
  type UsageRecord,
} from "@robota/runtime/plugins";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

it("records of plugins in the host's storage are there for later plugins", () =>
  withHost(async ({ platform }) => {
    const log = `plugins/usage-${platform.randomUUID()}`;
    const open = (): RecordStore<UsageRecord> => new StorageRecordStore(platform.storage, log);
    for (const inputTokens of [1, 2, 4]) {
      const agent = new Robota({
        provider: new ScriptedProvider([{ text: "ok", usage: { inputTokens } }]),
        platform,
        plugins: [new UsagePlugin({ storage: open() })],
      });
      await agent.run("go");
      await agent.dispose();
    }
    const usage = new UsagePlugin({ storage: open() });
    expect(await usage.summary()).toMatchObject({ runs: 3, tokens: { inputTokens: 7 } });
    await open().clear();
    expect((await usage.summary()).runs).toBe(0);
  }));
