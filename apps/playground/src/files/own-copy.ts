import type { EventRow } from "@robota/react/store";

/** True for a session with a copy of the workspace's files, as a fork has. */
export function beginsWithCopy([first]: readonly EventRow[]): boolean {
  return first?.event.type === "session_init" && first.event.files === "overlay";
}
