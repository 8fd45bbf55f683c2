import { readVariable } from "../state/access.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { Word, WordPart } from "../syntax/word.ts";

const PREFIX = /^~([\w.+-]*)(?=\/|$)/;

/** Replaces `~` at the start of a word and, in the value of an assignment, behind colons. */
export function expandTilde(
  word: Word,
  state: ShellState,
  { isAssignment = false }: { isAssignment?: boolean } = {},
): Word {
  const [first, ...rest] = word.parts;
  if (first?.type !== "text" || first.isQuoted || !first.text.includes("~")) return word;
  const segments = isAssignment ? first.text.split(/(?<=:)/) : [first.text];
  const parts = segments.flatMap((segment, index): WordPart[] => {
    const isWhole = index < segments.length - 1 || rest.length === 0;
    const home = isWhole || segment.includes("/") ? homeOf(segment, state) : undefined;
    if (!home) return [{ type: "text", text: segment, isQuoted: false }];
    const after = segment.slice(home.length);
    return [
      { type: "text", text: home.path, isQuoted: true },
      ...(after === "" ? [] : [{ type: "text" as const, text: after, isQuoted: false }]),
    ];
  });
  return { at: word.at, parts: [...parts, ...rest] };
}

function homeOf(segment: string, state: ShellState): { path: string; length: number } | undefined {
  const match = PREFIX.exec(segment.replace(/:$/, ""));
  if (!match) return undefined;
  const [whole, name = ""] = match;
  const path = directoryOf(name, state);
  return path === undefined ? undefined : { path, length: whole.length };
}

function directoryOf(name: string, state: ShellState): string | undefined {
  if (name === "") return readVariable(state, "HOME") ?? "/";
  if (name === "+") return state.cwd;
  if (name === "-") return readVariable(state, "OLDPWD");
  return name === "root" ? "/root" : undefined;
}
