import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
} from "@earendil-works/pi-tui";
import type { ClientSession } from "@robota/runtime/sessions";
import { firstLine } from "../printable.ts";
import { completionsOf, type OwnCommand } from "./own-commands.ts";

/** Completes commands of the session and of this program behind `/`, and what it can be sent behind `@`. */
export function completions(
  session: Pick<ClientSession, "completeCommand">,
  own: readonly OwnCommand[],
): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, cursorLine, cursorCol) {
      const before = [...lines.slice(0, cursorLine), (lines[cursorLine] ?? "").slice(0, cursorCol)];
      const text = before.join("\n");
      const isTyped = text.startsWith("/") || /(?:^|\s)@[^\n]*$/.test(text);
      return isTyped ? suggest(session, own, text) : null;
    },
    applyCompletion(lines, cursorLine, cursorCol, { value }, prefix) {
      const line = lines[cursorLine] ?? "";
      const head = `${line.slice(0, cursorCol - prefix.length)}${value} `;
      const completed = [...lines];
      completed[cursorLine] = head + line.slice(cursorCol).trimStart();
      return { lines: completed, cursorLine, cursorCol: head.length };
    },
    shouldTriggerFileCompletion: () => false,
  };
}

async function suggest(
  session: Pick<ClientSession, "completeCommand">,
  own: readonly OwnCommand[],
  text: string,
): Promise<AutocompleteSuggestions | null> {
  // A menu that can't be had, such as without a connection, is no reason to disturb the person who types.
  const found = await session.completeCommand(text).catch(() => []);
  const start = found[0]?.start ?? 0;
  const items = found.map(({ value, description, argumentHint = "" }): AutocompleteItem => {
    return {
      value,
      label: firstLine(`${value} ${argumentHint}`.trim(), 60),
      description: firstLine(description, 100),
    };
  });
  if (start === 0) items.push(...completionsOf(own, text));
  return items.length > 0 ? { items, prefix: text.slice(start) } : null;
}
