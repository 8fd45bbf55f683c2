import { normalizePath } from "../../ports/path.ts";
import { type PermissionCall, shellForms } from "../call.ts";
import { fileUses } from "./shell-files.ts";

/** A file that a shell line names, its possible paths, and the naming command. */
export interface NamedFile {
  word: string;
  /** Absent when unknown. */
  forms?: readonly string[] | undefined;
  command: string;
}

export interface LineFiles {
  reads: NamedFile[];
  writes: NamedFile[];
  others: NamedFile[];
  enters: NamedFile[];
  /** False when there are too many to look at: the rest is only read as text. */
  isComplete: boolean;
  /** False when the lists do not even hold all names. */
  isListed: boolean;
}

/** Maximum number of names per line that are looked at. */
const MAX_PLACES = 400;
/** Maximum number of names per line. */
const MAX_NAMES = 20_000;
/** Not files, though they look like it. */
const DEVICE = /^\/dev\/(?:null|stdout|stderr|tty|zero|fd\/[12])$/;
/** Longer words are not file names on any system. */
const MAX_NAME = 4096;

/** The files that a shell line may use, in a generous reading. */
export function lineFiles(call: PermissionCall): LineFiles {
  const { commands, redirects, isComplete } = call.possible();
  const files: LineFiles = {
    reads: [],
    writes: [],
    others: [],
    enters: [],
    isComplete,
    isListed: isComplete,
  };
  const realPaths = (path: string): string[] => [normalizePath(path)];
  const asText = { ...call, context: { ...call.context, realPaths } };
  let count = 0;
  const seen = new Set<string>();
  const add = (
    kind: "reads" | "writes" | "others" | "enters",
    word: string,
    command: string,
  ): void => {
    const key = `${kind} ${word}`;
    if (word === "" || word.length > MAX_NAME || DEVICE.test(word) || seen.has(key)) return;
    // A multi-line text is rarely a name, but a written file may have any.
    if (kind !== "writes" && /[\n\r]/.test(word)) return;
    seen.add(key);
    count += 1;
    if (count > MAX_PLACES) files.isComplete = false;
    if (count > MAX_NAMES) {
      files.isListed = false;
      return;
    }
    const forms = shellForms(word, count > MAX_PLACES ? asText : call);
    files[kind].push({ word, command, forms });
  };
  for (const { operator, target } of redirects) {
    if (operator.startsWith("<<")) continue;
    if (operator.endsWith("&") && /^(?:\d+|-)$/.test(target)) continue;
    if (operator.includes("<")) add("reads", target, `${operator} ${target}`);
    if (operator.includes(">")) add("writes", target, `${operator} ${target}`);
  }
  for (const words of commands) {
    if (count > MAX_NAMES) break;
    const uses = fileUses(words);
    const command = words.join(" ");
    for (const kind of ["reads", "writes", "others", "enters"] as const)
      for (const word of uses[kind]) add(kind, word, command);
  }
  return files;
}
