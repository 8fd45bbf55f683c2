import { withHost } from "#host";
import { exportSession, importSession, replaySession } from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import {
  calls,
  countedTools,
  CUT,
  cutAt,
  ended,
  endOf,
  NEVER,
  resumeOf,
  sessionOf,
} from "../../../support/recovery/cut-turn.ts";

it("moves and replays a session whose turn was cut and went on", () =>
  withHost(async ({ platform, cwd }) => {
    const { tools } = countedTools();
    const died = sessionOf(platform, [calls("act"), NEVER], { cwd, tools });
    died.session.submit("Go").catch(() => undefined);
    const storage = await cutAt(platform.storage, /"tool_end"/);
    const here = sessionOf({ ...platform, storage }, [{ text: "Done" }], { cwd, tools });
    const events = await ended(here.session);
    await here.session.shutdown();
    await died.session.shutdown();

    const there = memoryPlatform();
    await importSession(there, exportSession(storage, CUT), { trusted: true });
    const moved = sessionOf(there, [{ text: "Next" }], { tools });
    const arrived = await ended(moved.session);
    expect(resumeOf(arrived)).toMatchObject({ attempt: 1, again: [], unknown: [] });
    expect(resumeOf(arrived)?.seq).toBe(resumeOf(events)?.seq);
    expect(endOf(arrived)).toMatchObject({ state: "complete", response: "Done" });
    await moved.session.submit("On");
    await moved.session.shutdown();
    const { events: replayed } = await replaySession(
      { storage: there.storage, sessionId: CUT },
      memoryPlatform(),
    );
    expect(resumeOf(replayed)).toEqual(resumeOf(arrived));
    expect(endOf(replayed)).toMatchObject({ response: "Next" });
  }));
