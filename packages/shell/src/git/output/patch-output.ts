import { decodeText } from "@robota/runtime/ports";
import type { Options } from "../arguments.ts";
import { notHere } from "../failure.ts";
import { quotePath } from "../pathspec.ts";
import type { Blob } from "../repository/repository.ts";
import { diffTexts, type TextDiffOptions } from "./text-diff.ts";
import type { TreeChange, ReadBlob } from "../repository/tree-diff.ts";
import { greatest } from "../../greatest.ts";

/** Formats of changes, in git's order of printing. */
export type PatchFormat =
  | "raw"
  | "numstat"
  | "stat"
  | "shortstat"
  | "summary"
  | "name-only"
  | "name-status"
  | "patch";

const FORMATS: readonly PatchFormat[] = [
  "raw",
  "numstat",
  "stat",
  "shortstat",
  "summary",
  "name-only",
  "name-status",
  "patch",
];

/** Options that all commands with diff output share. */
export const patchOptions = {
  flags: [
    "p|u|patch",
    "s|no-patch",
    "raw",
    "numstat",
    "shortstat",
    "summary",
    "name-only",
    "name-status",
    "w|ignore-all-space",
    "b|ignore-space-change",
    "no-renames",
    "no-color",
    "no-ext-diff",
    "minimal",
    "patience",
    "histogram",
    "full-index",
    "z",
    "word-diff",
    "text|a",
  ],
  valued: ["U|unified", "diff-filter", "diff-algorithm"],
  attached: ["M|find-renames", "stat", "color", "C|find-copies", "dirstat"],
} as const;

export interface PatchStyle extends TextDiffOptions {
  formats: readonly PatchFormat[];
  renames: boolean;
  atLeast: number;
  filter: string;
  fullIndex: boolean;
  /** Width of `--stat` in columns. */
  width: number;
}

/** Reads the diff format from options; `standard` applies when they name none. */
export function patchStyle(options: Options, standard: readonly PatchFormat[]): PatchStyle {
  for (const name of ["word-diff", "find-copies", "dirstat", "z"]) {
    if (options.has(name)) throw notHere(`--${name}`, "use the default format");
  }
  const named = FORMATS.filter((format) => options.has(format));
  const formats = options.has("no-patch") ? [] : named.length > 0 ? named : standard;
  const atLeast = Number.parseInt(options.get("find-renames") ?? "", 10);
  const context = options.get("unified");
  const width = Number.parseInt(options.get("stat") ?? "", 10);
  return {
    formats: context !== undefined && named.length === 0 ? ["patch"] : formats,
    renames: !options.has("no-renames"),
    atLeast: Number.isNaN(atLeast) ? 50 : atLeast,
    filter: options.get("diff-filter") ?? "",
    fullIndex: options.has("full-index"),
    width: Number.isNaN(width) ? 80 : width,
    context: context === undefined ? undefined : Number(context),
    ...(options.has("ignore-all-space")
      ? { ignoresBlanks: "all" }
      : options.has("ignore-space-change")
        ? { ignoresBlanks: "amount" }
        : {}),
  };
}

interface Shown {
  change: TreeChange;
  isBinary: boolean;
  hunks: string;
  added: number;
  removed: number;
  sizes: [number, number];
}

/** Prints the changes in every format of the style; `lead` goes before the first. */
export async function showChanges(
  changes: readonly TreeChange[],
  read: ReadBlob,
  style: PatchStyle,
): Promise<string> {
  const kept = changes.filter(({ status }) => isWanted(status, style.filter));
  if (kept.length === 0) return "";
  const needsText = style.formats.some(
    (format) => format === "patch" || format === "numstat" || format.endsWith("stat"),
  );
  const shown = needsText
    ? await Promise.all(kept.map((change) => compare(change, read, style)))
    : [];
  const parts = style.formats.map((format) => {
    switch (format) {
      case "raw":
        return kept.map(rawLine).join("");
      case "numstat":
        return shown.map(numstatLine).join("");
      case "stat":
        return statTable(shown, style.width) + statSum(shown);
      case "shortstat":
        return statSum(shown);
      case "summary":
        return kept.map(summaryLine).join("");
      case "name-only":
        return kept.map(({ path }) => `${quotePath(path)}\n`).join("");
      case "name-status":
        return kept.map(statusLine).join("");
      case "patch":
        return shown.map((one) => patchOf(one, style)).join("");
    }
  });
  const texts = parts.filter((part) => part !== "");
  const isLastPatch = style.formats.at(-1) === "patch" && texts.length > 1;
  return isLastPatch ? `${texts.slice(0, -1).join("")}\n${texts.at(-1) ?? ""}` : texts.join("");
}

function isWanted(status: string, filter: string): boolean {
  if (filter === "") return true;
  const upper = filter.replace(/[a-z]/g, "");
  if (filter.includes(status.toLowerCase())) return false;
  return upper === "" || upper.includes(status);
}

async function compare(change: TreeChange, read: ReadBlob, style: PatchStyle): Promise<Shown> {
  const { path, from = path } = change;
  const isSame = change.old?.oid === change.new?.oid;
  const load = async (side: "old" | "new", blob: Blob | undefined): Promise<Uint8Array> => {
    if (!blob) return new Uint8Array();
    if (blob.mode === 0o160000) return new TextEncoder().encode(`Subproject commit ${blob.oid}\n`);
    return read(side, side === "old" ? from : path, blob);
  };
  if (isSame) return { change, isBinary: false, hunks: "", added: 0, removed: 0, sizes: [0, 0] };
  const [old, now] = await Promise.all([load("old", change.old), load("new", change.new)]);
  const sizes: [number, number] = [old.length, now.length];
  if (isBinary(old) || isBinary(now))
    return { change, isBinary: true, hunks: "", added: 0, removed: 0, sizes };
  const diff = await diffTexts(decodeText(old), decodeText(now), style);
  return { change, isBinary: false, sizes, ...diff };
}

const LOOKED_AT = 8000;

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, LOOKED_AT).includes(0);
}

const octal = (mode: number): string => mode.toString(8).padStart(6, "0");
const NONE = "0".repeat(40);

function rawLine({ status, path, from, similarity, old, new: now }: TreeChange): string {
  const code = status === "R" ? `R${String(similarity ?? 100).padStart(3, "0")}` : status;
  const names = from === undefined ? quotePath(path) : `${quotePath(from)}\t${quotePath(path)}`;
  const [before, after] = [old?.oid ?? NONE, now?.oid ?? NONE].map((oid) => oid.slice(0, 7));
  return `:${octal(old?.mode ?? 0)} ${octal(now?.mode ?? 0)} ${before} ${after} ${code}\t${names}\n`;
}

function statusLine({ status, path, from, similarity }: TreeChange): string {
  if (from === undefined) return `${status}\t${quotePath(path)}\n`;
  const score = String(similarity ?? 100).padStart(3, "0");
  return `R${score}\t${quotePath(from)}\t${quotePath(path)}\n`;
}

function numstatLine({ change, isBinary: binary, added, removed }: Shown): string {
  const counts = binary ? "-\t-" : `${added}\t${removed}`;
  return `${counts}\t${displayName(change)}\n`;
}

/** Formats `dir/{old => new}/file` for a renamed file. */
function displayName({ path, from }: TreeChange): string {
  if (from === undefined) return quotePath(path);
  let start = 0;
  for (let at = 0; at < Math.min(path.length, from.length) && path[at] === from[at]; at++)
    if (path[at] === "/") start = at + 1;
  let end = 0;
  const most = Math.min(path.length, from.length) - start;
  for (let at = 1; at <= most + (start > 0 ? 1 : 0); at++) {
    if (path.at(-at) !== from.at(-at)) break;
    if (path.at(-at) === "/") end = at;
  }
  if (start === 0 && end === 0) return `${quotePath(from)} => ${quotePath(path)}`;
  const middle = (text: string): string => text.slice(start, Math.max(start, text.length - end));
  const tail = end === 0 ? "" : path.slice(path.length - end);
  return `${path.slice(0, start)}{${middle(from)} => ${middle(path)}}${tail}`;
}

function statTable(shown: readonly Shown[], width: number): string {
  const names = shown.map(({ change }) => displayName(change));
  const longestName = greatest(names.map((name) => name.length));
  const largest = greatest(shown.map(({ added, removed }) => added + removed));
  const hasBinary = shown.some((one) => one.isBinary);
  const numberWidth = Math.max(String(largest).length, hasBinary ? 3 : 0);
  const binaryWidth = greatest(
    shown
      .filter((one) => one.isBinary)
      .map(({ sizes }) => `Bin ${sizes[0]} -> ${sizes[1]} bytes`.length),
  );
  // Git's layout of a line: a name, " | ", a number, a blank and the graph.
  let graph = Math.max(largest, binaryWidth - numberWidth - 1);
  let name = longestName;
  if (name + numberWidth + 6 + graph > width) {
    const most = Math.floor((width * 3) / 8) - numberWidth - 6;
    if (graph > most) graph = Math.max(most, 6);
    if (name > width - numberWidth - 6 - graph) name = width - numberWidth - 6 - graph;
    else graph = width - numberWidth - 6 - name;
  }
  return shown
    .map((one, index) => {
      const title = fitName(names[index] ?? "", name).padEnd(name);
      if (one.isBinary) {
        const [before, after] = one.sizes;
        return ` ${title} | ${"Bin".padStart(numberWidth)} ${before} -> ${after} bytes\n`;
      }
      const total = one.added + one.removed;
      const [plus, minus] = bars(one.added, one.removed, graph, largest);
      const bar = "+".repeat(plus) + "-".repeat(minus);
      return ` ${title} | ${String(total).padStart(numberWidth)}${bar === "" ? "" : ` ${bar}`}\n`;
    })
    .join("");
}

function fitName(name: string, width: number): string {
  if (name.length <= width) return name;
  const tail = name.slice(name.length - (width - 3));
  const slash = tail.indexOf("/");
  return `...${slash >= 0 ? tail.slice(slash) : tail}`;
}

function bars(added: number, removed: number, width: number, largest: number): [number, number] {
  if (largest <= width) return [added, removed];
  const scale = (count: number): number =>
    count === 0 ? 0 : 1 + Math.floor((count * (width - 1)) / largest);
  let total = scale(added + removed);
  if (total < 2 && added > 0 && removed > 0) total = 2;
  if (added < removed) {
    const plus = scale(added);
    return [plus, total - plus];
  }
  const minus = scale(removed);
  return [total - minus, minus];
}

function statSum(shown: readonly Shown[]): string {
  const added = shown.reduce((sum, one) => sum + one.added, 0);
  const removed = shown.reduce((sum, one) => sum + one.removed, 0);
  const counted = (count: number, noun: string): string =>
    `${count} ${noun}${count === 1 ? "" : "s"}`;
  let text = ` ${counted(shown.length, "file")} changed`;
  if (added > 0 || removed === 0) text += `, ${counted(added, "insertion")}(+)`;
  if (removed > 0 || added === 0) text += `, ${counted(removed, "deletion")}(-)`;
  return `${text}\n`;
}

/** The line of `--summary` for a created, deleted, renamed or mode-changed file. */
export function summaryLine(change: TreeChange): string {
  const { status, path, old, new: now } = change;
  if (status === "A" && now) return ` create mode ${octal(now.mode)} ${quotePath(path)}\n`;
  if (status === "D" && old) return ` delete mode ${octal(old.mode)} ${quotePath(path)}\n`;
  const modes =
    old && now && old.mode !== now.mode
      ? ` mode change ${octal(old.mode)} => ${octal(now.mode)}`
      : "";
  if (status === "R") {
    const renamed = ` rename ${displayName(change)} (${change.similarity ?? 100}%)\n`;
    return renamed + (modes === "" ? "" : `${modes}\n`);
  }
  return modes === "" ? "" : `${modes} ${quotePath(path)}\n`;
}

function patchOf({ change, isBinary: binary, hunks }: Shown, style: PatchStyle): string {
  const { status, path, from = path, old, new: now, similarity } = change;
  const [left, right] = [quotePath(`a/${from}`), quotePath(`b/${path}`)];
  let text = `diff --git ${left} ${right}\n`;
  if (status === "A" && now) text += `new file mode ${octal(now.mode)}\n`;
  else if (status === "D" && old) text += `deleted file mode ${octal(old.mode)}\n`;
  else if (old && now && old.mode !== now.mode)
    text += `old mode ${octal(old.mode)}\nnew mode ${octal(now.mode)}\n`;
  if (status === "R")
    text += `similarity index ${similarity ?? 100}%\nrename from ${quotePath(from)}\nrename to ${quotePath(path)}\n`;
  const [before, after] = [old?.oid ?? NONE, now?.oid ?? NONE];
  if (before === after) return text;
  const cut = (oid: string): string => (style.fullIndex ? oid : oid.slice(0, 7));
  const mode = old && now && old.mode === now.mode ? ` ${octal(old.mode)}` : "";
  text += `index ${cut(before)}..${cut(after)}${mode}\n`;
  const names = [old ? left : "/dev/null", now ? right : "/dev/null"] as const;
  if (binary) return `${text}Binary files ${names[0]} and ${names[1]} differ\n`;
  if (hunks === "") return style.ignoresBlanks ? "" : text;
  const titled = (name: string): string =>
    name.includes(" ") && !name.startsWith('"') ? `${name}\t` : name;
  return `${text}--- ${titled(names[0])}\n+++ ${titled(names[1])}\n${hunks}`;
}
