import type { ToolItem, TurnView } from "@robota/react/store";

/** The closest commands that the offline guide's refusal names. */
export function suggestionsIn(turn: TurnView): string[] {
  const last = turn.items.at(-1);
  if (last?.kind !== "text" || turn.provider !== "offline") return [];
  const [, list = ""] = last.text.split("Closest commands:\n");
  return [...list.matchAll(/^- `([^`]+)`:/gm)].map(([, usage = ""]) => usage);
}

/** A turn's outcome in a sentence, such as "Tests pass. 1 file changed." */
export function endingOf(turn: TurnView): string {
  const calls = turn.items.filter((item): item is ToolItem => item.kind === "tool");
  const check = calls.findLast(({ args }) => /\bcheck\.sh\b/.test(textOf(args["command"])));
  const tests = { done: "Tests pass.", failed: "Tests fail." }[check?.phase as "done" | "failed"];
  const changed = new Set(
    calls.flatMap(({ outcome }) => outcome?.changes?.map(({ path }) => path) ?? []),
  ).size;
  const files = changed === 1 ? "1 file changed." : `${changed || "No"} files changed.`;
  return [tests, files].filter(Boolean).join(" ");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
