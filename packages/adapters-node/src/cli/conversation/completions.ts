import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
} from "@earendil-works/pi-tui";
import type { ClientSession } from "@robota/runtime/sessions";
import { firstLine } from "../printable.ts";

/** Completes commands of the session behind `/`, and what it can be sent behind `@`. */
export function completions(session: Pick<ClientSession, "completeCommand">): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, cursorLine, cursorCol) {
      const before = [...lines.slice(0, cursorLine), (lines[cursorLine] ?? "").slice(0, cursorCol)];
      const text = before.join("\n");
      const isTyped = text.startsWith("/") || /(?:^|\s)@[^\n]*$/.test(text);
      return isTyped ? suggest(session, text) : null;
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
  text: string,
): Promise<AutocompleteSuggestions | null> {
  // A menu that can't be had, such as without a connection, is no reason to disturb the person who types.
  const found = await session.completeCommand(text).catch(() => []);
  const [first] = found;
  if (!first) return null;
  const items = found.map(({ value, description, argumentHint = "" }): AutocompleteItem => {
    return {
      value,
      label: firstLine(`${value} ${argumentHint}`.trim(), 60),
      description: firstLine(description, 100),
    };
  });
  return { items, prefix: text.slice(first.start) };
}
