/** Ids of the sessions that some tab of this browser has open. */
export async function heldSessions(): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => /sessions\/([\w-]+)$/.exec(name ?? "")?.[1] ?? []));
}
