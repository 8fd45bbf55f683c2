import type { SessionHeader } from "@robota/runtime/sessions";

/** Sessions of one stretch of time. */
export interface TimeGroup {
  label: string;
  sessions: readonly SessionHeader[];
}

/** Groups sessions, newest first, by the days on which they were last changed. */
export function timeGroups(sessions: readonly SessionHeader[], now = new Date()): TimeGroup[] {
  const daysAgo = (days: number): number =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime();
  const stretches = [
    { label: "Today", from: daysAgo(0) },
    { label: "Yesterday", from: daysAgo(1) },
    { label: "Last 7 days", from: daysAgo(6) },
    { label: "Last 30 days", from: daysAgo(29) },
    { label: "Older", from: -Infinity },
  ];
  const groups = Map.groupBy(sessions, ({ updatedAt }) => {
    const time = new Date(updatedAt).getTime();
    return stretches.find(({ from }) => time >= from)?.label ?? "Older";
  });
  return stretches.flatMap(({ label }) => {
    const ofStretch = groups.get(label);
    return ofStretch ? [{ label, sessions: ofStretch }] : [];
  });
}
