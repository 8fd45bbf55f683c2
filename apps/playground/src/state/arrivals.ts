/** Where a session came from, when it was under way: another tab had it, or another place. */
export type Arrival = "tab" | "elsewhere";

/** The sessions that came to this page. A reload forgets them: then it is what interrupted them last. */
const arrivals = new Map<string, Arrival>();

export function noteArrival(sessionId: string, from: Arrival): void {
  arrivals.set(sessionId, from);
}

export function arrivalOf(sessionId: string): Arrival | undefined {
  return arrivals.get(sessionId);
}
