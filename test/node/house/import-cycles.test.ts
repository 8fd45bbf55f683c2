import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
/** Two files may need each other's types, and what one loads later may need its own; a reader can hold three at once. */
const MAX_FILES = 3;
const IMPORTS =
  /(?:^|\n)\s*(?:import|export)\b[^"';]*?from\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"\s*\)|(?:^|\n)import\s+"(\.[^"]+)"/g;

type Graph = ReadonlyMap<string, readonly string[]>;

/** The imports of each file within the repository: values, types and dynamic imports. */
function imports(): Graph {
  const tracked = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mjs"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = tracked.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
  const known = new Set(files);
  const importsOf = (file: string): string[] =>
    [...readFileSync(join(root, file), "utf8").matchAll(IMPORTS)]
      .map((match) => join(dirname(file), match[1] ?? match[2] ?? match[3] ?? ""))
      .filter((target) => target !== file && known.has(target));
  return new Map(files.map((file) => [file, importsOf(file)]));
}

/** Groups of files that each reach all the others of their group, by Tarjan's algorithm. */
function cycles(graph: Graph): string[][] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    stack.push(file);
    let low = own;
    for (const target of graph.get(file) ?? []) {
      if (!index.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, index.get(target) ?? low);
    }
    if (low === own) found.push(stack.splice(stack.indexOf(file)));
    return low;
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return found.filter(({ length }) => length > 1);
}

/** A cycle as lines of "file imports files", within the group. */
function describeCycle(graph: Graph, files: readonly string[]): string {
  const lines = files.toSorted().map((file) => {
    const within = (graph.get(file) ?? []).filter((target) => files.includes(target));
    return `  ${file} imports ${[...new Set(within)].join(", ")}`;
  });
  return [`${files.length} files import each other:`, ...lines].join("\n");
}

it("finds import cycles of any length", () => {
  const graph: Graph = new Map([
    ["a.ts", ["b.ts", "e.ts"]],
    ["b.ts", ["c.ts"]],
    ["c.ts", ["a.ts", "d.ts"]],
    ["d.ts", ["e.ts"]],
    ["e.ts", ["d.ts"]],
    ["f.ts", ["a.ts"]],
  ]);
  expect(cycles(graph).map((files) => files.toSorted())).toEqual([
    ["d.ts", "e.ts"],
    ["a.ts", "b.ts", "c.ts"],
  ]);
  expect(describeCycle(graph, ["b.ts", "a.ts", "c.ts"])).toBe(
    "3 files import each other:\n  a.ts imports b.ts\n  b.ts imports c.ts\n  c.ts imports a.ts",
  );
});

it(`has no cycle of more than ${MAX_FILES} files, types included`, () => {
  const graph = imports();
  const long = cycles(graph).filter(({ length }) => length > MAX_FILES);
  expect(long, long.map((files) => describeCycle(graph, files)).join("\n")).toEqual([]);
});
