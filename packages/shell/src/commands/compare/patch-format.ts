// Own parser instead of the package `diff`, whose `parsePatch` rejects a patch followed by a mail signature and reads
// no normal diffs, and whose `applyPatch` applies all or nothing: GNU's `patch` applies the hunks that fit, reports
// offset and fuzz, and writes the rest to a reject file.

export interface Hunk {
  /** Start line in the old file, from 0. */
  start: number;
  before: string[];
  after: string[];
  /** Number of unchanged lines at the start and at the end. */
  leading: number;
  trailing: number;
  /** True if the last line of that side has no newline. */
  beforeIsOpen: boolean;
  afterIsOpen: boolean;
  /** The text of the hunk in the patch. */
  text: string;
}

export interface FilePatch {
  /** Empty in a normal diff, which names no files. */
  oldName: string;
  newName: string;
  hunks: Hunk[];
}

const OPEN_END = "\\ No newline at end of file";

/** Parses unified diffs, with any text around them, or one normal diff. */
export function parsePatch(text: string): FilePatch[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const patches: FilePatch[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      patches.push({ oldName: nameIn(line), newName: nameIn(lines[at + 1] ?? ""), hunks: [] });
      at += 2;
      continue;
    }
    const unified = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (unified) {
      if (patches.length === 0) patches.push({ oldName: "", newName: "", hunks: [] });
      const { hunk, next } = readUnified(lines, at, unified);
      patches.at(-1)?.hunks.push(hunk);
      at = next;
      continue;
    }
    const normal = /^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$/.exec(line);
    if (normal && (patches.length === 0 || patches.at(-1)?.oldName === "")) {
      if (patches.length === 0) patches.push({ oldName: "", newName: "", hunks: [] });
      const { hunk, next } = readNormal(lines, at, normal);
      patches.at(-1)?.hunks.push(hunk);
      at = next;
      continue;
    }
    at += 1;
  }
  return patches.filter(({ hunks }) => hunks.length > 0);
}

function nameIn(line: string): string {
  return (line.slice(4).split("\t")[0] ?? "").trim();
}

function readUnified(
  lines: readonly string[],
  from: number,
  [, start, count = "1", , newCount = "1"]: RegExpExecArray,
): { hunk: Hunk; next: number } {
  const [before, after]: [string[], string[]] = [[], []];
  let [leading, trailing] = [0, 0];
  let [beforeIsOpen, afterIsOpen] = [false, false];
  let last = "";
  let at = from + 1;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("\\")) {
      if (last !== "+") beforeIsOpen = true;
      if (last !== "-") afterIsOpen = true;
      continue;
    }
    if (before.length >= Number(count) && after.length >= Number(newCount)) break;
    last = line.charAt(0) || " ";
    if (last === "-") before.push(line.slice(1));
    else if (last === "+") after.push(line.slice(1));
    else if (last === " ") {
      before.push(line.slice(1));
      after.push(line.slice(1));
      if (leading === before.length - 1 && leading === after.length - 1) leading += 1;
      trailing += 1;
      continue;
    } else throw new Error(`**** malformed patch at line ${at + 1}: ${line}`);
    trailing = 0;
  }
  if (before.length !== Number(count) || after.length !== Number(newCount)) {
    throw new Error(`**** malformed patch at line ${at + 1}: the hunk ends early`);
  }
  const hunk: Hunk = {
    // An empty range is named by the line before it.
    start: Number(start) - (count === "0" ? 0 : 1),
    before,
    after,
    leading,
    trailing,
    beforeIsOpen,
    afterIsOpen,
    text: `${lines.slice(from, at).join("\n")}\n`,
  };
  return { hunk, next: at };
}

function readNormal(
  lines: readonly string[],
  from: number,
  [, start, , letter]: RegExpExecArray,
): { hunk: Hunk; next: number } {
  const [before, after]: [string[], string[]] = [[], []];
  let [beforeIsOpen, afterIsOpen] = [false, false];
  let at = from + 1;
  let last = "";
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("< ")) before.push(line.slice(2));
    else if (line.startsWith("> ")) after.push(line.slice(2));
    else if (line === OPEN_END) {
      if (last.startsWith("<")) beforeIsOpen = true;
      else afterIsOpen = true;
    } else if (line !== "---") break;
    last = line;
  }
  const hunk: Hunk = {
    start: Number(start) - (letter === "a" ? 0 : 1),
    before,
    after,
    leading: 0,
    trailing: 0,
    beforeIsOpen,
    afterIsOpen,
    text: `${lines.slice(from, at).join("\n")}\n`,
  };
  return { hunk, next: at };
}

/** Reverses a patch. */
export function reversed({ oldName, newName, hunks }: FilePatch): FilePatch {
  let drift = 0;
  return {
    oldName: newName,
    newName: oldName,
    hunks: hunks.map((hunk) => {
      const start = hunk.start + drift;
      drift += hunk.after.length - hunk.before.length;
      return {
        ...hunk,
        start,
        before: hunk.after,
        after: hunk.before,
        beforeIsOpen: hunk.afterIsOpen,
        afterIsOpen: hunk.beforeIsOpen,
      };
    }),
  };
}
