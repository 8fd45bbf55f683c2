import type { PermissionCall } from "../../call.ts";
import { isBroad, parsePattern } from "../../rules/parse-pattern.ts";
import type { PlacedRule } from "../../permission.ts";
import { decodeLine, mentionOf } from "./mentions.ts";
import { forbiddenWords, mightCoverWords } from "../shell-match.ts";
import { runsWhatItWrites } from "./written-scripts.ts";
import { forbidsFor } from "../../rules/tool-facts.ts";
import type { Objection } from "../../paths/workspace.ts";

interface ForbiddenCommand extends PlacedRule {
  words: string[];
}

/**
 * The reason why a shell line can't be proven to follow the rules that deny or ask about commands: its text hides a
 * command's name, or a forbidden name occurs where execution can't be ruled out.
 */
export function unreadableLine(
  call: PermissionCall,
  forbidding: readonly PlacedRule[],
): (Objection & Partial<PlacedRule>) | undefined {
  if (call.patternKind !== "command" || call.value === undefined) return undefined;
  const forbidden = forbidding.flatMap((placed) => forbiddenCommands(placed, call));
  if (forbidden.length === 0) return undefined;
  const possible = call.possible();
  if (!possible.isComplete || possible.isOpaque)
    return {
      reason: "Its text does not show what it runs, so deny rules can't be enforced.",
    };
  if (runsWhatItWrites(possible))
    return { reason: "It runs a file that it writes itself, so deny rules can't be enforced." };
  const line = decodeLine(call.value, call.context.isReadOnly);
  for (const { words, rule, layer } of forbidden) {
    const unsure = possible.commands.find((command) => mightCoverWords(words, command));
    const command = unsure?.join(" ") ?? (line.isComplete ? mentionOf(words, line) : call.value);
    if (command !== undefined)
      return {
        reason: `Its text does not show whether ${rule} applies.`,
        rule,
        layer,
        command,
      };
  }
  return undefined;
}

function forbiddenCommands(placed: PlacedRule, call: PermissionCall): ForbiddenCommand[] {
  const pattern = parsePattern(placed.rule);
  if (!pattern || !forbidsFor(pattern, call.tool, call) || isBroad(pattern)) return [];
  return forbiddenWords(pattern.argument ?? "").map((words) => ({ ...placed, words }));
}
