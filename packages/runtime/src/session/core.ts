import type { Attendance } from "./approvals/attendance.ts";
import type { RewindParts } from "./files/rewind.ts";
import type { LifecycleParts } from "./lifecycle.ts";
import type { SessionOptions } from "./options.ts";
import type { TransferParts } from "./transfer/open-session.ts";
import type { TurnRunnerParts } from "./turn/turn-runner.ts";

/**
 * All parts of one session, created once. Only a session and a replay of one hold them all: each part declares beside
 * itself the parts it works with.
 */
export type SessionCore = LifecycleParts &
  TurnRunnerParts &
  RewindParts &
  TransferParts & {
    /** The options that the program gave, before the session was configured. */
    readonly initialOptions: SessionOptions;
    readonly attendance: Attendance;
  };
