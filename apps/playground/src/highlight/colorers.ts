import type { Parser } from "@lezer/common";
import type { Colorer } from "./kinds.ts";

async function script(dialect = ""): Promise<Parser> {
  const { parser } = await import("@lezer/javascript");
  return parser.configure({ dialect });
}

const typescript = () => script("ts");
const shell = async () => (await import("./shell-colorer.ts")).shellColorer;
const parsers: Readonly<Record<string, () => Promise<Parser>>> = {
  css: async () => (await import("@lezer/css")).parser,
  html: async () => (await import("@lezer/html")).parser,
  js: () => script(),
  json: async () => (await import("@lezer/json")).parser,
  jsx: () => script("jsx"),
  md: async () => (await import("@lezer/markdown")).parser,
  py: async () => (await import("@lezer/python")).parser,
  ts: typescript,
  tsx: () => script("ts jsx"),
};

/** Other names of languages, and other endings of their files. */
const aliases: Readonly<Record<string, string>> = {
  bash: "sh",
  cjs: "js",
  console: "sh",
  cts: "ts",
  htm: "html",
  javascript: "js",
  json5: "json",
  jsonc: "json",
  jsonl: "json",
  markdown: "md",
  mjs: "js",
  mts: "ts",
  python: "py",
  python3: "py",
  shell: "sh",
  svg: "html",
  typescript: "ts",
  xml: "html",
  zsh: "sh",
};

/** The way to colour a language by its name or the ending of its files; `undefined` for one that stays plain. */
export async function colorerOf(language: string): Promise<Colorer | undefined> {
  const asked = language.toLowerCase();
  const name = Object.hasOwn(aliases, asked) ? (aliases[asked] ?? asked) : asked;
  if (name === "sh") return shell();
  const load = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
  if (!load) return undefined;
  const [{ treeColorer }, parser] = await Promise.all([import("./tree-colorer.ts"), load()]);
  return treeColorer(parser);
}
