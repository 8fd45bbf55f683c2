import type { SessionEventOf } from "../log/events.ts";
import { endsImport, isNote, placeIn, type SessionPlace } from "../log/notes.ts";

/** What a session's log says of its moves. */
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
