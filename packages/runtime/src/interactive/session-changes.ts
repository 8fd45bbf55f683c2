import type { Session } from "../session/session.ts";
import type { PromptRunner } from "./prompt-runner.ts";

/** The files that turns changed, and the way to restore single ones. */
export type SessionChanges = Pick<Session, "changedFiles" | "changedContents" | "restoreFiles">;

export function sessionChanges(session: Session, prompts: PromptRunner): SessionChanges {
  return {
    changedFiles: (turnId) => session.changedFiles(turnId),
    changedContents: (paths, turnId) => session.changedContents(paths, turnId),
    restoreFiles: (wanted, checkpointId) =>
      prompts.exclusively(() => session.restoreFiles(wanted, checkpointId)),
  };
}
