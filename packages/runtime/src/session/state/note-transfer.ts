import type { SessionEventOf } from "../log/events.ts";
import { endsImport, isNote, placeIn, type SessionPlace } from "../log/notes.ts";

/** The part of a session's state that its moves change. */
export interface TransferState {
  handedOverTo: SessionPlace | undefined;
  arriving: string | undefined;
}

/** Applies a note to it. */
export function noteTransfer(state: TransferState, event: SessionEventOf<"note">): void {
  if (isNote(event, "imported")) {
    state.handedOverTo = undefined;
    if (endsImport(event, state.arriving)) state.arriving = undefined;
  }
  state.handedOverTo = placeIn(event) ?? state.handedOverTo;
}
