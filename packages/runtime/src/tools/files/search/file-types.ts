import { ToolFailure } from "../../failure.ts";

/** Endings of file names by the names that people have for kinds of files. */
const ENDINGS: Readonly<Record<string, string>> = {
  c: "c h",
  cpp: "cc cpp cxx hh hpp hxx h",
  cs: "cs",
  css: "css scss sass less",
  csv: "csv tsv",
  go: "go",
  html: "html htm xhtml",
  java: "java",
  js: "js jsx mjs cjs",
  json: "json jsonc json5",
  kotlin: "kt kts",
  lua: "lua",
  md: "md mdx markdown",
  php: "php",
  py: "py pyi",
  ruby: "rb gemspec rake",
  rust: "rs",
  sh: "sh bash zsh",
  sql: "sql",
  svelte: "svelte",
  swift: "swift",
  toml: "toml",
  ts: "ts tsx mts cts",
  vue: "vue",
  xml: "xml xsd xsl svg",
  yaml: "yaml yml",
};

/**
 * A filter for names of files of this type.
 * @throws {ToolFailure} `invalid_arguments` with the known types
 */
export function typeFilter(type: string): (name: string) => boolean {
  const endings = Object.hasOwn(ENDINGS, type) ? ENDINGS[type]!.split(" ") : undefined;
  if (!endings) {
    throw new ToolFailure("invalid_arguments", `There is no file type ${type}.`, {
      hint: `Use glob, or one of ${Object.keys(ENDINGS).join(", ")}.`,
    });
  }
  return (name) => endings.some((ending) => name.toLowerCase().endsWith(`.${ending}`));
}
