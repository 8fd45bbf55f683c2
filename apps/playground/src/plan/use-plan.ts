import { useSelected } from "@robota/react";
import {
  createCell,
  emptyView,
  type SessionConnection,
  sessionStore,
  type SessionView,
  type TextItem,
} from "@robota/react/store";
import { useCallback } from "react";
import { findPlan } from "./find-plan.ts";

const nothing = createCell<SessionView>(emptyView);

/** The plan of a turn, while it waits for a person's word. */
export function usePlan(
  session: SessionConnection | undefined,
  turnId: string,
): TextItem | undefined {
  const select = useCallback((view: SessionView) => findPlan(view, turnId), [turnId]);
  return useSelected(session ? sessionStore(session) : nothing, select);
}
