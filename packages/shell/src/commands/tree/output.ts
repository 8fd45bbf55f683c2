import { formatTime } from "../../engine/text/time-format.ts";
import { permissionsOf } from "../file-words.ts";
import type { TreeNode } from "./nodes.ts";

type Options = ReadonlyMap<string, string>;

/** Directories take a block. */
const DIRECTORY_SIZE = 4_096;

interface Branches {
  readonly item: string;
  readonly last: string;
  readonly line: string;
}

const DRAWN: Branches = { item: "├── ", last: "└── ", line: "│\u00a0\u00a0 " };
const ASCII: Branches = { item: "|-- ", last: "`-- ", line: "|   " };
const NONE: Branches = { item: "", last: "", line: "" };

/** The lines of a tree. */
export function treeText(root: TreeNode, options: Options): string {
  const branches = options.has("i") ? NONE : options.get("charset") === "ascii" ? ASCII : DRAWN;
  const gap = options.has("i") ? "" : "    ";
  const lines: string[] = [];
  const failed = root.isUnreadable ? "  [error opening dir]" : "";
  lines.push(`${factsOf(root, options)}${labelOf(root, options)}${failed}\n`);
  const visit = (nodes: readonly TreeNode[], indent: string): void => {
    nodes.forEach((node, at) => {
      const isLast = at === nodes.length - 1;
      const branch = isLast ? branches.last : branches.item;
      lines.push(`${indent}${branch}${factsOf(node, options)}${labelOf(node, options)}\n`);
      visit(node.children ?? [], indent + (isLast ? gap : branches.line));
    });
  };
  visit(root.children ?? [], "");
  return lines.join("");
}

function labelOf(node: TreeNode, options: Options): string {
  const name = options.has("f") ? node.path : node.name;
  const shown = options.has("Q") ? JSON.stringify(name) : name;
  const target =
    node.target === undefined
      ? ""
      : ` -> ${options.has("Q") ? JSON.stringify(node.target) : node.target}`;
  return shown + target + (options.has("F") ? markOf(node) : "");
}

/** The mark of `-F`; that of a link is the one of a directory that it leads to. */
function markOf({ stat, isDirectory }: TreeNode): string {
  if (isDirectory) return "/";
  return stat?.type === "file" && stat.mode & 0o111 ? "*" : "";
}

/** The facts before a name, in brackets. */
function factsOf({ stat, target }: TreeNode, options: Options): string {
  const parts: string[] = [];
  if (!stat) return "";
  const size = stat.type === "directory" ? DIRECTORY_SIZE : (target?.length ?? stat.size);
  if (options.has("p")) parts.push(permissionsOf(stat));
  if (options.has("u")) parts.push("user    ");
  if (options.has("g")) parts.push("user    ");
  if (options.has("h")) parts.push(humanSize(size).padStart(4));
  else if (options.has("s")) parts.push(String(size).padStart(11));
  if (options.has("D")) {
    const seconds = Math.floor(stat.mtimeMs / 1_000);
    parts.push(formatTime("%b %e %H:%M", { seconds }));
  }
  return parts.length === 0 ? "" : `[${parts.join(" ")}]  `;
}

function humanSize(size: number): string {
  let [value, unit] = [size, 0];
  while (value >= 1_024 && unit < 4) [value, unit] = [value / 1_024, unit + 1];
  if (unit === 0) return String(size);
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${"KMGT".charAt(unit - 1)}`;
}

interface Counts {
  readonly directories: number;
  readonly files: number;
}

function countsOf(roots: readonly TreeNode[], options: Options): Counts {
  let [directories, files] = [0, 0];
  const count = (node: TreeNode): void => {
    if (node.isDirectory) directories += 1;
    else files += 1;
    node.children?.forEach(count);
  };
  for (const root of roots) {
    // The start of a tree counts when it has entries; a file in its place counts as a file.
    if (root.children && root.children.length > 0) directories += 1;
    else if (root.isUnreadable && root.stat) files += 1;
    root.children?.forEach(count);
  }
  return { directories: Math.max(0, directories), files: options.has("d") ? 0 : files };
}

/** `3 directories, 1 file` */
export function reportOf(roots: readonly TreeNode[], options: Options): string {
  const { directories, files } = countsOf(roots, options);
  const first = `${directories} ${directories === 1 ? "directory" : "directories"}`;
  return options.has("d") ? first : `${first}, ${files} ${files === 1 ? "file" : "files"}`;
}

/** The trees as JSON. */
export function treeJson(roots: readonly TreeNode[], options: Options): string {
  const text = roots.map((root) => jsonOf(root, "  ", options)).join(",\n");
  const { directories, files } = countsOf(roots, options);
  const counted = options.has("d") ? "" : `,"files":${files}`;
  const report = options.has("noreport")
    ? ""
    : `,\n  {"type":"report","directories":${directories}${counted}}\n`;
  return `[\n${text}\n${report}]\n`;
}

function jsonOf(node: TreeNode, indent: string, options: Options): string {
  const { stat, target, children } = node;
  const type = target === undefined ? (node.isDirectory ? "directory" : "file") : "link";
  const members = [
    `"type":"${type}"`,
    `"name":${JSON.stringify(options.has("f") ? node.path : node.name)}`,
  ];
  if (target !== undefined) members.push(`"target":${JSON.stringify(target)}`);
  if (node.isUnreadable) members.push('"error":"opening dir"');
  if (stat && options.has("p"))
    members.push(
      `"mode":"${(stat.mode & 0o7777).toString(8).padStart(4, "0")}"`,
      `"prot":"${permissionsOf(stat)}"`,
    );
  if (stat && (options.has("s") || options.has("h")))
    members.push(`"size":${stat.type === "directory" ? DIRECTORY_SIZE : stat.size}`);
  const start = `${indent}{${members.join(",")}`;
  if (!children || children.length === 0) return `${start}}`;
  const inner = children.map((child) => jsonOf(child, `${indent}  `, options)).join(",\n");
  return `${start},"contents":[\n${inner}\n${indent}]}`;
}
