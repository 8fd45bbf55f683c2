import { type HistoryEntry } from "@robota/runtime";
import { firstLine } from "../printable.ts";

/** A line about an event of the history, with the style that it is shown in. */
export interface DescribedEvent {
  text: string;
  tone: "dim" | "warning" | "error";
}

/** Describes an event for a person; nothing for those that are seen elsewhere, or concern programs. */
export function describeEvent({ type, data }: HistoryEntry): DescribedEvent | undefined {
  const facts = data as Facts;
  switch (type) {
    case "turn-interrupted":
      return { text: "■ Stopped", tone: "warning" };
    case "turn-failed":
      return { text: failureText(facts.error), tone: "error" };
    case "permission-decision":
      return deniedBecause(facts);
    case "mode-change":
      return dim(`Mode: ${facts.mode}`);
    case "model-change":
      return dim(`Model: ${facts.model} of ${facts.provider}`);
    case "history-cleared":
      return dim("── The model forgets what is above ──");
    case "compaction":
      return dim(`── Summarised: ${facts.before} to ${facts.after} tokens ──`);
    case "rewind":
      return dim(`── Rewound: ${facts.what} ──`);
    case "skill-invocation":
      return dim(`Skill: ${facts.skillName ?? facts.name ?? ""}`);
    case "hook-run":
      return { text: `Hook ${facts.hook} (${facts.event}): ${facts.outcome}`, tone: "warning" };
    case "hook-stopped":
      return { text: `A hook ended the turn: ${facts.reason ?? ""}`, tone: "warning" };
    case "handed-over":
      return dim(`── Moved to ${facts.to?.url ?? "another host"} ──`);
    case "taken-over":
      return { text: "Another process has taken this session over.", tone: "error" };
    case "auto-compact-failed":
      return { text: "The conversation could not be summarised.", tone: "warning" };
    case "model-unavailable":
      return { text: "The model of this session is not available here.", tone: "warning" };
    default:
      return undefined;
  }
}

/** Data of the events above, each of which has some of these. */
interface Facts {
  error?: { message?: string; hint?: string };
  to?: { url?: string };
  decision?: { allow?: boolean; reason?: string };
  mode?: string;
  model?: string;
  provider?: string;
  before?: number;
  after?: number;
  what?: string;
  name?: string;
  skillName?: string;
  hook?: string;
  event?: string;
  outcome?: string;
  reason?: string;
}

function dim(text: string): DescribedEvent {
  return { text, tone: "dim" };
}

function failureText(error: Facts["error"]): string {
  const { message = "The turn failed.", hint } = error ?? {};
  return hint === undefined ? `✗ ${message}` : `✗ ${message}\n  ${hint}`;
}

function deniedBecause({ decision }: Facts): DescribedEvent | undefined {
  if (decision?.allow !== false || !decision.reason) return undefined;
  return { text: `⊘ Denied: ${firstLine(decision.reason, 200)}`, tone: "warning" };
}
