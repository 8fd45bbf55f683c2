import type { ContextBreakdown } from "@robota/runtime/providers";

/** Share of the window above which a session compacts by itself, unless its settings say otherwise. */
const DEFAULT_THRESHOLD = 0.835;

export type ContextPart = Exclude<keyof ContextBreakdown, "free">;

/** The parts of the window in the order of a request. */
export const contextParts: readonly { id: ContextPart; label: string }[] = [
  { id: "system", label: "System prompt" },
  { id: "tools", label: "Tools" },
  { id: "memory", label: "Memory and skills" },
  { id: "messages", label: "Messages" },
  { id: "toolResults", label: "Tool results" },
];

/** The share at which the session compacts; `undefined` for never. */
export function thresholdOf(setting: number | false | undefined): number | undefined {
  return setting === false ? undefined : (setting ?? DEFAULT_THRESHOLD);
}
