import type { SessionEventOf } from "../log/events.ts";
import type { SessionState } from "./state.ts";

type Texts = "systemMessage" | "projectInstructions" | "promptReport" | "language";
type Facts = "isInitialised" | "createdAt" | "cwd" | "mode" | "hasOwnFiles" | "arriving";

/** The fields of a state that a session begins with. */
export function stateAtStart(
  event: SessionEventOf<"session_init">,
): Pick<SessionState, Facts> & Partial<Pick<SessionState, Texts>> {
  const { systemMessage, projectInstructions, promptReport, language } = event;
  // An imported session has none of its own: the one that its opener tells the model counts.
  const hasTexts = systemMessage !== "" || projectInstructions !== undefined;
  const texts = { systemMessage, projectInstructions: projectInstructions ?? "", promptReport };
  return {
    isInitialised: true,
    createdAt: event.time,
    cwd: event.cwd,
    mode: event.permissionMode,
    hasOwnFiles: event.files === "overlay",
    arriving: event.origin?.mark,
    ...(hasTexts && texts),
    ...((hasTexts || language !== undefined) && { language }),
  };
}
