import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** The names that each entry of a package exports, types among them, by the entry's path. */
function exportsOf(name: string): Map<string, string[]> {
  const folder = join(root, "packages", name);
  const manifest: { exports: Record<string, { "@robota/source"?: string }> } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  return new Map(
    Object.entries(manifest.exports).flatMap(([entry, { "@robota/source": source }]) =>
      source === undefined ? [] : [[entry, namesIn(join(folder, source))]],
    ),
  );
}

function namesIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) =>
    list
      .split(",")
      .map((item) =>
        item
          .trim()
          .replace(/^type /, "")
          .replace(/^.* as /, ""),
      )
      .filter((item) => item !== ""),
  );
  const declared = [
    ...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm),
  ].map(([, item = ""]) => item);
  return [...listed, ...declared].toSorted();
}

const packages = [
  "runtime",
  "shell",
  "adapters-node",
  "adapters-web",
  "adapters-edge",
  "react",
  "storage-postgres",
  "storage-redis",
  "files-s3",
];
const entries = exportsOf("runtime");

it("exports exactly the listed names, so that a new one is seen in review", async () => {
  const list = packages.flatMap((name) =>
    [...exportsOf(name)].map(([entry, names]) =>
      [`@robota/${name}${entry.slice(1)}`, ...names.map((item) => `  ${item}`)].join("\n"),
    ),
  );
  await expect(`${list.join("\n\n")}\n`).toMatchFileSnapshot("entries.txt");
});

it("keeps the main entry small enough for newcomers", () => {
  // 121 of them are names of the specification.
  expect(entries.get(".")?.length).toBeLessThanOrEqual(140);
});

it("exports each name from one entry; hosts find all of the ports in their own entry, too", () => {
  const homes = new Map<string, string[]>();
  for (const [entry, names] of entries) {
    if (entry === "./compat") continue;
    expect(new Set(names).size, entry).toBe(names.length);
    for (const name of names) homes.set(name, [...(homes.get(name) ?? []), entry]);
  }
  const shared = [...homes].filter(([, places]) => places.length > 1);
  const unexpected = shared.filter(
    ([, places]) => !(places.includes("./ports") && places.length === 2),
  );
  expect(unexpected).toEqual([]);
});

const table = readFileSync(join(root, "docs/evidence/specification-names.md"), "utf8")
  .split("\n## ")[0]
  ?.split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|")[1] ?? "");

it("exports every name of the specification from the entry in the table", () => {
  expect(table?.length).toBeGreaterThan(30);
  for (const cell of table ?? []) {
    const notes = [...cell.matchAll(/\((\w+)\)/g)].map(([, note]) => `./${note}`);
    const places = [".", ...notes].map((entry) => {
      const names = entries.get(entry);
      expect(names, `${cell}: ${entry}`).toBeDefined();
      return names ?? [];
    });
    for (const [, name = ""] of cell.matchAll(/`(\w+)`/g))
      expect(
        places.some((names) => names.includes(name)),
        `${name} in ${cell}`,
      ).toBe(true);
  }
});
