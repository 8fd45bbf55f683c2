import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  fuzzyFilter,
} from "@earendil-works/pi-tui";
import type { ClientSession } from "@robota/runtime/sessions";
import { firstLine } from "../printable.ts";

/** Suggestions of a menu; nobody reads more. */
const MAX_FILES = 50;

/** Completes commands of the session behind `/`, and files of the workspace behind `@`. */
export function completions(
  session: Pick<ClientSession, "completeCommand">,
  files: () => Promise<readonly string[]>,
): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, cursorLine, cursorCol) {
      const before = [...lines.slice(0, cursorLine), (lines[cursorLine] ?? "").slice(0, cursorCol)];
      const text = before.join("\n");
      if (text.startsWith("/")) return suggestCommands(session, text);
      const [, typed] = /(?:^|\s)@(\S*)$/.exec(text) ?? [];
      return typed === undefined ? null : suggestFiles(await files(), typed);
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

async function suggestCommands(
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

function suggestFiles(files: readonly string[], typed: string): AutocompleteSuggestions | null {
  const found = fuzzyFilter([...files], typed, (path) => path).slice(0, MAX_FILES);
  if (found.length === 0) return null;
  const items = found.map((path) => ({ value: `@${path}`, label: firstLine(path, 80) }));
  return { items, prefix: `@${typed}` };
}
