import type { Extension } from "@codemirror/state";

const javascript = async (options: { typescript?: boolean; jsx?: boolean }) =>
  (await import("@codemirror/lang-javascript")).javascript(options);

/** Loaders of languages, by the endings of file names. */
const loaders: Readonly<Record<string, () => Promise<Extension>>> = {
  js: () => javascript({}),
  mjs: () => javascript({}),
  cjs: () => javascript({}),
  jsx: () => javascript({ jsx: true }),
  ts: () => javascript({ typescript: true }),
  mts: () => javascript({ typescript: true }),
  tsx: () => javascript({ typescript: true, jsx: true }),
  json: async () => (await import("@codemirror/lang-json")).json(),
  css: async () => (await import("@codemirror/lang-css")).css(),
  html: async () => (await import("@codemirror/lang-html")).html(),
  htm: async () => (await import("@codemirror/lang-html")).html(),
  svg: async () => (await import("@codemirror/lang-html")).html(),
  md: async () => (await import("@codemirror/lang-markdown")).markdown(),
  py: async () => (await import("@codemirror/lang-python")).python(),
};

/** The language of a file; `undefined` for plain text. Rejects when its code can't be loaded. */
export async function languageOf(name: string): Promise<Extension | undefined> {
  return loaders[name.slice(name.lastIndexOf(".") + 1).toLowerCase()]?.();
}
