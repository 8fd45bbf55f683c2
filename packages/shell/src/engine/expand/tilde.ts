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
  { place }: { place?: "argument" | "value" | undefined } = {},
): Word {
  const [first] = word.parts;
  if (!word.parts.some((part) => part.type === "text" && !part.isQuoted && part.text.includes("~")))
    return word;
  const isText = first?.type === "text" && !first.isQuoted;
  const [target = ""] = (place === "argument" && isText && TARGET.exec(first.text)) || [];
  const isValue = place === "value" || target !== "";
  const parts = word.parts.flatMap((part, index): readonly WordPart[] => {
    if (part.type !== "text" || part.isQuoted || (index > 0 && !isValue)) return [part];
    const start = index === 0 ? target.length : 0;
    const isLast = index === word.parts.length - 1;
    const before: WordPart[] = start === 0 ? [] : [{ ...part, text: target }];
    const text = part.text.slice(start);
    return [...before, ...expandPart({ text, isFirst: index === 0, isLast, isValue }, state)];
  });
  return { at: word.at, parts };
}

interface TextPart {
  readonly text: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isValue: boolean;
}

function expandPart({ text, isFirst, isLast, isValue }: TextPart, state: ShellState): WordPart[] {
  const segments = isValue ? text.split(/(?<=:)/) : [text];
  return segments.flatMap((segment, index): WordPart[] => {
    const isStart = index > 0 || isFirst;
    const isWhole = isLast || /[:/]/.test(segment);
    const home = isStart && isWhole ? homeOf(segment, state) : undefined;
    if (!home) return [{ type: "text", text: segment, isQuoted: false }];
    const after = segment.slice(home.length);
    return [
      { type: "text", text: home.path, isQuoted: true },
      ...(after === "" ? [] : [{ type: "text" as const, text: after, isQuoted: false }]),
    ];
  });
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
