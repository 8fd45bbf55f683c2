import type { Divider, SessionView, TimelineEntry, TurnView } from "@robota/react/store";
import { describe, expect, it } from "vitest";
import { versionsOf } from "./versions.ts";

/** A turn that was sent at this time. */
function turn(id: string, startedAt: number): TurnView {
  const state = "complete" as const;
  return {
    kind: "turn",
    id,
    prompt: id,
    state,
    items: [],
    startedAt,
    provider: "",
    model: "",
    cut: false,
  };
}

function mark(id: string): Divider {
  return { kind: "divider", id, label: "Conversation and files rewound" };
}

const [a, b, c, d, e] = [1, 2, 3, 4, 5].map((at) => turn("abcde"[at - 1] ?? "", at)) as [
  TurnView,
  TurnView,
  TurnView,
  TurnView,
  TurnView,
];

function viewOf(
  timeline: readonly TimelineEntry[],
  undone: Readonly<Record<string, readonly TimelineEntry[]>>,
): Pick<SessionView, "timeline" | "undone"> {
  return { timeline, undone: new Map(Object.entries(undone)) };
}

describe("versionsOf", () => {
  it("finds none without rewinds", () => {
    expect(versionsOf(viewOf([a, b], {})).turns.size).toBe(0);
  });

  it("leads from one version of a message to the next, in the order in which they were sent", () => {
    const first = [a, b, c];
    const second = [a, mark("rewind-1"), d];
    const third = [a, mark("rewind-2"), e];
    const { turns, quiet } = versionsOf(viewOf(third, { "rewind-1": first, "rewind-2": second }));
    expect([...turns.keys()]).toEqual(["e"]);
    expect(turns.get("e")).toMatchObject({
      position: 3,
      count: 3,
      previous: { turnId: "d", checkpointId: "rewind-2" },
      next: undefined,
    });
    expect([...quiet]).toEqual(["rewind-2"]);

    const back = [a, b, c, mark("rewind-3")];
    const undone = { "rewind-1": first, "rewind-2": second, "rewind-3": third };
    const shown = versionsOf(viewOf(back, undone));
    expect(shown.turns.get("b")).toMatchObject({
      position: 1,
      count: 3,
      previous: undefined,
      next: { turnId: "d", checkpointId: "rewind-2" },
    });
    expect([...shown.quiet]).toEqual(["rewind-3"]);
  });

  it("goes to the newest conversation with a version", () => {
    const undone = { "rewind-1": [a, b], "rewind-2": [c], "rewind-3": [a, b, mark("rewind-2"), d] };
    const { turns } = versionsOf(viewOf([mark("rewind-3"), e], undone));
    expect(turns.get("e")).toMatchObject({ position: 3, count: 3, previous: { turnId: "c" } });
    const back = versionsOf(viewOf([c, mark("rewind-4")], undone));
    expect(back.turns.get("c")?.previous).toMatchObject({ turnId: "a", checkpointId: "rewind-3" });
  });

  it("keeps the mark of a rewind that has left turns behind, and of one that only changed files", () => {
    const left = [a, b];
    expect([...versionsOf(viewOf([a, mark("rewind-1")], { "rewind-1": left })).quiet]).toEqual([]);
    const files = [a, b, mark("rewind-1"), c];
    expect([...versionsOf(viewOf(files, { "rewind-1": left })).quiet]).toEqual([]);
  });

  it("takes no message of a cleared conversation for a version", () => {
    const cleared: Divider = { kind: "divider", id: "cleared-7", label: "Conversation cleared" };
    const { turns } = versionsOf(viewOf([cleared, c], { "rewind-1": [a, b], "rewind-2": [a] }));
    expect(turns.size).toBe(0);
  });

  it("finds the same while an answer streams", () => {
    const view = viewOf([a, c], { "rewind-1": [a, b] });
    const versions = versionsOf(view);
    expect(versionsOf({ ...view, timeline: [a, { ...c, items: [] }] })).toBe(versions);
  });
});
