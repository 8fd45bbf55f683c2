import type { ReasoningEffort } from "@robota/runtime/providers";
import { readStored, writeStored } from "../state/preferences.ts";

/** Settings of a session's requests that its log has no place for. */
export interface SessionSettings {
  effort?: ReasoningEffort | undefined;
  /** Added to the system prompt. */
  instructions?: string | undefined;
}

export const EFFORTS: readonly ReasoningEffort[] = ["low", "medium", "high", "xhigh", "max"];
const keyOf = (sessionId: string): string => `robota.settings.${sessionId}`;

export function readSessionSettings(sessionId: string | undefined): SessionSettings {
  const stored = sessionId ? readStored(keyOf(sessionId)) : undefined;
  if (typeof stored !== "object" || stored === null) return {};
  const { effort, instructions } = stored as Record<string, unknown>;
  return {
    effort: EFFORTS.find((each) => each === effort),
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}

export function writeSessionSettings(sessionId: string, settings: SessionSettings): void {
  const { effort, instructions } = settings;
  writeStored(keyOf(sessionId), effort || instructions ? settings : undefined);
}
