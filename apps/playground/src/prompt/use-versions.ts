import { useSelected } from "@robota/react";
import {
  createCell,
  emptyView,
  type Readable,
  type SessionConnection,
  sessionStore,
  type SessionView,
} from "@robota/react/store";
import { useCallback } from "react";
import { type TurnVersions, versionsOf } from "./versions.ts";

const nothing: Readable<SessionView> = createCell(emptyView);

/** The versions of a turn's message; nothing while there is one only. */
export function useVersions(
  session: SessionConnection | undefined,
  turnId: string,
): TurnVersions | undefined {
  const select = useCallback((view: SessionView) => versionsOf(view).turns.get(turnId), [turnId]);
  return useSelected(session ? sessionStore(session) : nothing, select);
}

/** True for a mark that the versions of a message make needless. */
export function useIsQuiet(session: SessionConnection | undefined, markId: string): boolean {
  const select = useCallback((view: SessionView) => versionsOf(view).quiet.has(markId), [markId]);
  return useSelected(session ? sessionStore(session) : nothing, select);
}
