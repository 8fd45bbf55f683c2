import { useReadable } from "@robota/react";
import { type Readable, type SessionConnection, sessionStore } from "@robota/react/store";
import type { SessionEvent } from "@robota/runtime";
import { useMemo } from "react";

/** A summary of a session's events that grows with them. */
export interface EventFold<State> {
  create: () => State;
  /** Takes one event in, and reports whether the summary has changed. `state` is the fold's own and may be changed. */
  apply: (state: State, event: SessionEvent) => boolean;
}

/** The summary at one time: another object after each change, around the same state. */
export interface Folded<State> {
  state: State;
  /** Number of events that have changed the state. */
  version: number;
}

/**
 * The summary of a session's events so far. Each event is taken in once, however long the session is; of a stream, which
 * shares a row, only the first piece is seen.
 * @param fold the same object at every call
 */
export function useEventFold<State>(
  session: SessionConnection | undefined,
  fold: EventFold<State>,
): Folded<State> {
  return useReadable(useMemo(() => foldOf(session, fold), [session, fold]));
}

function foldOf<State>(
  session: SessionConnection | undefined,
  fold: EventFold<State>,
): Readable<Folded<State>> {
  const rows = session && sessionStore(session).rows;
  const state = fold.create();
  let current: Folded<State> = { state, version: 0 };
  let done = 0;
  return {
    get() {
      const all = rows?.get() ?? [];
      let { version } = current;
      for (; done < all.length; done++) {
        const row = all[done];
        if (row && fold.apply(state, row.event)) version += 1;
      }
      if (version !== current.version) current = { state, version };
      return current;
    },
    subscribe: (listener) => rows?.subscribe(listener) ?? (() => undefined),
  };
}
