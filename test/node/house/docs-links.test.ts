import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const pages = globSync(
  ["*.md", "docs/**/*.md", "packages/*/README.md", "examples/*.md", "llms.txt"],
  { cwd: root },
);

function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** The anchors of a page, as GitHub makes them from its headings. */
function anchorsOf(page: string): Set<string> {
  const prose = read(page).replace(/^```[^]*?^```$/gm, "");
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(headings);
}

it("every link of the documentation leads to a file, and to a heading in it", () => {
  const dead: string[] = [];
  let count = 0;
  for (const page of pages) {
    const prose = read(page).replace(/^```[^]*?^```$/gm, "");
    for (const [, target = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      count += 1;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      const isDead =
        !existsSync(join(root, file)) ||
        (anchor !== undefined && file.endsWith(".md") && !anchorsOf(file).has(anchor));
      if (isDead) dead.push(`${page}: ${target}`);
    }
  }
  expect(count).toBeGreaterThan(60);
  expect(dead).toEqual([]);
});

it("llms.txt lists every page for users", () => {
  const list = read("llms.txt");
  const missing = globSync("docs/**/*.md", { cwd: root }).filter(
    (page) => !list.includes(`(${page})`),
  );
  expect(missing).toEqual([]);
});
