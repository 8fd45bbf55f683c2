import { type SessionConnection, sessionStore } from "@robota/react/store";

/** Resolves when all that was stored of a session is in its view, or it turned out that it can't be read. */
export function whenRead(session: SessionConnection): Promise<void> {
  const { rows, failure } = sessionStore(session);
  const end = session.lastSeq;
  return new Promise((resolve) => {
    const look = (): void => {
      const seen = rows.get().at(-1)?.event.seq ?? 0;
      if (seen < end && !failure.get()) return;
      stopRows();
      stopFailure();
      resolve();
    };
    const stopRows = rows.subscribe(look);
    const stopFailure = failure.subscribe(look);
    look();
  });
}
