import type { SessionHeader } from "@robota/runtime/sessions";
import { expect, it } from "vitest";
import { timeGroups } from "./time-groups.ts";

const changed = (id: string, updatedAt: Date): SessionHeader =>
  ({ id, updatedAt: updatedAt.toISOString() }) as SessionHeader;

it("groups sessions by days, not by hours, and leaves empty groups out", () => {
  const now = new Date(2026, 10, 24, 0, 30);
  const sessions = [
    changed("minutes", new Date(2026, 10, 24, 0, 5)),
    changed("an hour", new Date(2026, 10, 23, 23, 40)),
    changed("a week", new Date(2026, 10, 18, 9)),
    changed("a month", new Date(2026, 9, 27)),
    changed("years", new Date(2020, 1, 1)),
  ];
  const groups = timeGroups(sessions, now).map(({ label, sessions }) => [
    label,
    ...sessions.map(({ id }) => id),
  ]);
  expect(groups).toEqual([
    ["Today", "minutes"],
    ["Yesterday", "an hour"],
    ["Last 7 days", "a week"],
    ["Last 30 days", "a month"],
    ["Older", "years"],
  ]);
  expect(timeGroups([], now)).toEqual([]);
});
