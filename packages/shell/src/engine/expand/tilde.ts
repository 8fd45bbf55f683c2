import { readVariable } from "../state/access.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { Word, WordPart } from "../syntax/word.ts";

const PREFIX = /^~([\w.+-]*)(?=\/|$)/;

/** A word before the value that it would assign, as `a=` in `a=~`. */
const TARGET = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/**
 * Replaces `~` at the start of a word and, in the value of an assignment, behind colons. An argument may look like an
 * assignment, as that of `make prefix=~/local`.
 */
export function expandTilde(
  word: Word,
  state: ShellState,
  { place }: { place?: "argument" | "value" } = {},
): Word {
  const [first, ...rest] = word.parts;
  if (first?.type !== "text" || first.isQuoted || !first.text.includes("~")) return word;
  const [target = ""] = (place === "argument" && TARGET.exec(first.text)) || [];
  const isValue = place === "value" || target !== "";
  const value = first.text.slice(target.length);
  const segments = isValue ? value.split(/(?<=:)/) : [value];
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
  const before: WordPart[] = target === "" ? [] : [{ type: "text", text: target, isQuoted: false }];
  return { at: word.at, parts: [...before, ...parts, ...rest] };
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
  if (/^[+-]?\d+$/.test(name)) return stackedDirectory(name, state);
  return name === "root" ? "/root" : undefined;
}

/** The directory of `dirs` that `~2` or, counted from the end, `~-2` stands for. */
function stackedDirectory(name: string, { cwd, directories }: ShellState): string | undefined {
  const stack = [cwd, ...directories];
  const index = Number(name.replace(/^[+-]/, ""));
  return stack[name.startsWith("-") ? stack.length - 1 - index : index];
}
