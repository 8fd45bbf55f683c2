import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** The folders of the packages that the files, given by their absolute paths, are of; none for this project's own. */
export function packagesOf(files: Iterable<string>): Set<string> {
  const packages = new Set<string>();
  for (const file of files) {
    const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
    if (found?.[1]) packages.add(realpathSync(found[1]));
  }
  return packages;
}

/** The licence texts of packages whose code is in a bundle, as Markdown. */
export function licenceTexts(packages: ReadonlySet<string>): string {
  const texts = [...packages]
    .sort((one, other) => (one < other ? -1 : 1))
    .map((directory) => {
      const facts = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
      const files = readdirSync(directory).filter((name) => /^(?:licen[cs]e|notice)/i.test(name));
      const text = files
        .map((file) => readFileSync(join(directory, file), "utf8").trim())
        .join("\n\n");
      return `## ${facts.name} ${facts.version} (${facts.license})\n\n${text}\n`;
    });
  return texts.join("\n");
}
