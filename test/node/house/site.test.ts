import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildSite } from "../../../scripts/site/build-site.ts";

let site: string;
let files: string[];
const read = (file: string): string => readFileSync(join(site, file), "utf8");

beforeAll(async () => {
  site = await mkdtemp(join(tmpdir(), "robota-site-"));
  await buildSite(site);
  files = globSync("**/*.*", { cwd: site });
});
afterAll(() => rm(site, { recursive: true }));

it("has every page, as HTML and as Markdown, with the guides and the reference of each entry", () => {
  const pages = files.filter((file) => file.endsWith(".html")).map((file) => file.slice(0, -5));
  expect(files.filter((file) => file.endsWith(".md")).map((file) => file.slice(0, -3))).toEqual(
    expect.arrayContaining(pages),
  );
  const guides = globSync("docs/**/*.md", { cwd: join(import.meta.dirname, "../../..") });
  expect(pages).toEqual(
    expect.arrayContaining([
      "index",
      "packages/react",
      "reference/runtime",
      "reference/react-store",
      ...guides.map((guide) => guide.replace(/^docs\/|\.md$/g, "")),
    ]),
  );
});

it("has no dead link, in pages, in their Markdown and in llms.txt", () => {
  const anchors = new Map(
    files
      .filter((file) => file.endsWith(".html"))
      .map((file) => [
        file,
        new Set([...read(file).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)),
      ]),
  );
  const links = (file: string): string[] => {
    const text = read(file);
    if (file.endsWith(".html"))
      return [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target = ""]) => target);
    const prose = text.replace(/^```[^]*?^```$/gm, "");
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  };
  const all = files
    .filter((file) => /\.(?:html|md|txt)$/.test(file))
    .flatMap((file) => links(file).map((target) => ({ file, target })))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
  expect(all.length).toBeGreaterThan(5000);
  const dead = all.filter(({ file, target }) => {
    const [path = "", anchor] = target.split("#");
    const place = path === "" ? file : join(dirname(file), path);
    return !files.includes(place) || (anchor && anchors.get(place)?.has(anchor) === false);
  });
  expect(dead).toEqual([]);
});

it("documents every exported name of every entry", () => {
  const entries = readFileSync(join(import.meta.dirname, "entries.txt"), "utf8").trim();
  const missing = entries.split("\n\n").flatMap((block) => {
    const [entry = "", ...names] = block.split("\n");
    const page = read(`reference/${entry.replace("@robota/", "").replaceAll("/", "-")}.md`);
    return names
      .filter((name) => !page.includes(`\n### ${name.trim()}\n`))
      .map((name) => entry + name);
  });
  expect(missing).toEqual([]);
});
