import type { SessionConnection } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";
import type { ClientSession } from "@robota/runtime/sessions";
import type { RemoteSession } from "@robota/runtime/transports";

/** One attempt to open a session. */
export interface Opening {
  /** Distinguishes attempts; kept after opening, and with it the text typed meanwhile. */
  opening: number;
  opened: Promise<ClientSession>;
}

export type WorkspacePhase =
  /** Opens a new session when `sessionId` is undefined. */
  | ({ kind: "opening"; sessionId: string | undefined; server?: string } & Opening)
  | ({ kind: "ready"; session: InteractiveSession } & Opening)
  | ({ kind: "watching"; session: SessionConnection; reason: WatchReason } & Opening)
  /** The session runs on a server, which this is the address of. */
  | ({ kind: "remote"; session: RemoteSession; server: string } & Opening)
  /** The session can't be opened; `sessionId` is the one that was tried. */
  | { kind: "failed"; error: Error; sessionId: string | undefined; server?: string };

/**
 * Why a session is shown as it is stored, and can't be changed: another tab has it, or has taken it from this one; or its
 * page was closed in the middle of a turn, and a person has to say what becomes of that.
 */
export type WatchReason = "elsewhere" | "lost" | "cut";
