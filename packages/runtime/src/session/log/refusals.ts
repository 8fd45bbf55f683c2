import { SessionError, StorageError } from "../../errors.ts";

/** Work that a session does alone. */
export type SoleWork = "turn" | "compaction" | "rewind" | "restore" | "import";

const BUSY: Record<SoleWork, { message: string; hint: string }> = {
  turn: {
    message: "A turn is open in this session",
    hint: "Wait for it, stop it with abort(), or answer its pending approval.",
  },
  compaction: {
    message: "The conversation is being compacted",
    hint: "Wait for it, or stop it with abort().",
  },
  rewind: { message: "The session is being rewound", hint: "Wait for it." },
  restore: { message: "Files of the session are being restored", hint: "Wait for it." },
  import: { message: "A session is being imported into this one", hint: "Wait for it." },
};

/** The refusal of other work while `work` is under way. */
export function busy(work: SoleWork): SessionError {
  const { message, hint } = BUSY[work];
  return new SessionError("SESSION_BUSY", message, { hint });
}

export function closed(): SessionError {
  return new SessionError("CLOSED", "The session was shut down", {
    hint: "Open it again by its id.",
  });
}

/** The refusal of a session that was handed over to another host. */
export function handedOver(to: string | undefined): SessionError {
  const where = to === undefined ? "elsewhere" : `as ${to}`;
  return new SessionError("HANDED_OVER", `The session was handed over and goes on ${where}`, {
    hint: "Send this to where it goes on. What it was here can still be read, exported and forked.",
  });
}

/** Throws `error` unless it reports a take-over by another tab or process. */
export function unlessTakenOver(error: unknown): void {
  if (!(error instanceof StorageError) || error.code !== "FENCED") throw error;
}
