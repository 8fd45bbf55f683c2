import type { Session } from "../session/session.ts";
import type { PromptRunner } from "./prompt-runner.ts";

/** The files that turns changed, and the way to restore single ones. */
export type SessionChanges = Pick<Session, "changedFiles" | "changedContents" | "restoreFiles">;

/** The changes of a session, once it is ready. */
export function sessionChanges(
  opening: { readonly ready: Promise<void> },
  session: Session,
  prompts: PromptRunner,
): SessionChanges {
  return {
    async changedFiles(turnId) {
      await opening.ready;
      return session.changedFiles(turnId);
    },
    async changedContents(paths, turnId) {
      await opening.ready;
      return session.changedContents(paths, turnId);
    },
    async restoreFiles(wanted, checkpointId) {
      await opening.ready;
      return prompts.exclusively(() => session.restoreFiles(wanted, checkpointId));
    },
  };
}
