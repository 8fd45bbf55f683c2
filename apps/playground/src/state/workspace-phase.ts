import type { SessionConnection, TimelineEntry } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";
import type { ClientSession } from "@robota/runtime/sessions";
import type { RemoteSession } from "@robota/runtime/transports";
import type { HistoryStep } from "./address.ts";

export interface OpenSessionOptions {
  /** Takes it from the tab that holds it. */
  takeOver?: boolean;
  /** Opens a new session when another tab holds it. */
  elseNew?: boolean;
  /** Treatment of a turn that was cut; a person is asked when missing. */
  cut?: "continue" | "end";
  /** A new entry of the browser's history when missing. */
  history?: HistoryStep;
  /** Opens it only then; files and the empty conversation are shown before. */
  when?: Promise<void>;
}

/** One attempt to open a session. */
export interface Opening {
  /** Distinguishes attempts; kept after opening, and with it the text typed meanwhile. */
  opening: number;
  opened: Promise<ClientSession>;
}

/** The end of a long conversation, which is shown until its session is open. */
export interface Preview {
  sessionId: string;
  timeline: readonly TimelineEntry[];
}

export type WorkspacePhase =
  /** Opens a new session when `sessionId` is undefined. */
  | ({
      kind: "opening";
      sessionId: string | undefined;
      server?: string;
      preview?: Preview;
    } & Opening)
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

/** A session that is to be shown as it is stored. */
export interface WatchedSession {
  id: string;
  reason: WatchReason;
  history: HistoryStep | undefined;
}
