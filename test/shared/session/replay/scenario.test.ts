import { withHost } from "#host";
import { expect, it } from "vitest";
import { withMemory } from "../../../hosts/memory.ts";
import { runScenario } from "../../../support/scenario.ts";
import recorded from "../../../scenario.json" with { type: "json" };

it("does the main scenario in memory as recorded", () =>
  withMemory(async (host) => {
    expect(await runScenario(host)).toEqual(recorded);
  }));

it("does the same on this host, event by event and byte by byte", () =>
  withHost(async (host) => {
    expect(await runScenario(host)).toEqual(recorded);
  }));
