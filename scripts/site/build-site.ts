// Builds the site of the documentation: each page as HTML and, beside it, as the Markdown that it comes of; an API
// reference from the comments; llms.txt. `node scripts/site/build-site.ts [folder]`; without a folder, into dist/docs.
// The navigation is llms.txt: a page that it does not list can't be reached, and a test says so.
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { publicEntries, referencePage } from "./reference.ts";
import { renderPage, type SitePage } from "./render-page.ts";

const root = join(import.meta.dirname, "../..");

/** A section of the navigation. */
export interface Section {
  title: string;
  pages: { title: string; source: string }[];
}

/** Builds everything into `target`, which is emptied, and resolves to the pages. */
export async function buildSite(target: string): Promise<SitePage[]> {
  const llms = await readFile(join(root, "llms.txt"), "utf8");
  const sections = sectionsOf(llms);
  const references = publicEntries().map((entry) => ({
    source: `reference/${entry.name.replace("@robota/", "").replaceAll("/", "-")}.md`,
    title: entry.name,
    text: referencePage(entry),
  }));
  const guides = await Promise.all(
    [...new Set(sections.flatMap(({ pages }) => pages.map(({ source }) => source)))].map(
      async (source) => ({ source, text: await readFile(join(root, source), "utf8") }),
    ),
  );
  const navigation: Section[] = [
    ...sections,
    { title: "API", pages: references.map(({ title, source }) => ({ title, source })) },
  ];
  const pages = [...guides, ...references].map(({ source, text }): SitePage => ({
    source,
    path: sitePath(source),
    text: withSitePaths(text, source),
  }));
  await rm(target, { recursive: true, force: true });
  for (const page of pages) {
    const file = join(target, page.path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file.replace(/\.html$/, ".md"), page.text.replaceAll(".html", ".md"));
    await writeFile(file, renderPage(page, navigation.map(linked)));
  }
  for (const [from, to] of [
    ["docs/playground.png", "playground.png"],
    ["docs/session-format.schema.json", "session-format.schema.json"],
    ["docs/settings.schema.json", "settings.schema.json"],
    ["scripts/site/style.css", "style.css"],
  ] as const)
    await cp(join(root, from), join(target, to));
  await writeFile(join(target, "llms.txt"), llmsText(llms, references));
  return pages;
}

/** The place of a repository's file in the site: README.md is the first page, docs/ is the top. */
function sitePath(source: string): string {
  if (source === "README.md") return "index.html";
  if (source === "examples/README.md") return "examples.html";
  const [, name] = /^packages\/([\w-]+)\/README\.md$/.exec(source) ?? [];
  return name === undefined
    ? source.replace(/^docs\//, "").replace(/\.md$/, ".html")
    : `packages/${name}.html`;
}

/** The same Markdown with links as the site has its files. Links to files that it does not have lose their target. */
function withSitePaths(text: string, source: string): string {
  const here = dirname(sitePath(source));
  return outsideOfCode(text, (prose) =>
    prose.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, image, label, target: string) => {
      if (/^(?:[a-z]+:|#)/.test(target)) return whole;
      const [path = "", anchor] = target.split("#");
      const file = join(dirname(source), path);
      const place = relative(
        here,
        file.endsWith(".md") ? sitePath(file) : file.replace(/^docs\//, ""),
      );
      const isHere = /^(?:README\.md|docs\/.*|(?:packages\/[\w-]+|examples)\/README\.md)$/.test(
        file,
      );
      if (!isHere) return label;
      return `${image}[${label}](${place}${anchor === undefined ? "" : `#${anchor}`})`;
    }),
  );
}

/** Applies `change` to what is not in a fenced block. */
function outsideOfCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/(^```[^]*?^```$)/m)
    .map((part) => (part.startsWith("```") ? part : change(part)))
    .join("");
}

/** The sections of llms.txt, with every page of each. */
export function sectionsOf(llms: string): Section[] {
  return llms
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf("\n")),
      pages: [...section.matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)/g)].map(
        ([, title = "", source = ""]) => ({
          title: title[0]?.toUpperCase() + title.slice(1),
          source,
        }),
      ),
    }));
}

function linked({ title, pages }: Section): {
  title: string;
  pages: { title: string; path: string }[];
} {
  return {
    title,
    pages: pages.map((page) => ({ title: page.title, path: sitePath(page.source) })),
  };
}

function llmsText(llms: string, references: readonly { source: string; title: string }[]): string {
  const pages = llms.replace(/\]\(([^)]+\.md)\)/g, (_, source: string) => {
    return `](${sitePath(source).replace(/\.html$/, ".md")})`;
  });
  const list = references.map(({ title, source }) => `- [${title}](${source})`);
  return `${pages.trimEnd()}\n\n## API\n\n${list.join("\n")}\n`;
}

if (import.meta.main) {
  const target = process.argv[2] ?? join(root, "dist/docs");
  const pages = await buildSite(target);
  console.log(`${pages.length} pages in ${target}`);
}
