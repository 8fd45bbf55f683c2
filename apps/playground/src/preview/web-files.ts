import type { FileSystem } from "@robota/runtime";
import { decodeText, encodeText } from "@robota/runtime/ports";
import { replaceInCss, resolveReference } from "./references.ts";

/** The kinds of files that a page may bring along; others, such as settings with keys, are never given to it. */
const types: Readonly<Record<string, string>> = {
  css: "text/css",
  js: "text/javascript",
  mjs: "text/javascript",
  json: "application/json",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  ico: "image/x-icon",
  svg: "image/svg+xml",
  woff: "font/woff",
  woff2: "font/woff2",
  ttf: "font/ttf",
  otf: "font/otf",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  mp4: "video/mp4",
  webm: "video/webm",
  wasm: "application/wasm",
};

/** Bytes that all files of a page may have together. */
const LIMIT = 20_000_000;

/** The workspace's files for one page: each is read once, and those that it must do without are noted. */
export class WebFiles {
  readonly #fs: FileSystem;
  readonly #root: string;
  readonly #read = new Map<string, Promise<Uint8Array | undefined>>();
  readonly #missing = new Set<string>();
  #bytes = 0;

  constructor(fs: FileSystem, root: string) {
    this.#fs = fs;
    this.#root = root;
  }

  /** References that lead nowhere, to another host, or over the limit, as they were written. */
  get missing(): readonly string[] {
    return [...this.#missing];
  }

  /** The path that a reference leads to, when the file can be had. */
  async locate(reference: string, from: string): Promise<string | undefined> {
    const found = resolveReference(reference, from, this.#root);
    if (!found) return undefined;
    if (found.kind === "file" && (await this.#bytesOf(found.path))) return found.path;
    this.#missing.add(reference.trim());
    return undefined;
  }

  /** The text of a file that was located. */
  async textOf(path: string): Promise<string> {
    return decodeText((await this.#bytesOf(path)) ?? new Uint8Array());
  }

  /** A referenced file as an address of its own; a style sheet with all that it refers to. */
  async embed(
    reference: string,
    from: string,
    above: readonly string[] = [],
  ): Promise<string | undefined> {
    const path = await this.locate(reference, from);
    if (path === undefined) return undefined;
    // A style sheet that imports itself.
    if (above.includes(path)) return "data:text/css,";
    const type = typeOf(path) ?? "";
    const isCss = type === "text/css";
    const bytes = isCss
      ? encodeText(await this.embedInCss(await this.textOf(path), path, [...above, path]))
      : await this.#bytesOf(path);
    const hash = /#.*$/s.exec(reference)?.[0] ?? "";
    return bytes && dataAddress(bytes, type) + hash;
  }

  embedInCss(css: string, from: string, above: readonly string[] = []): Promise<string> {
    return replaceInCss(css, (reference) => this.embed(reference, from, above));
  }

  #bytesOf(path: string): Promise<Uint8Array | undefined> {
    let read = this.#read.get(path);
    if (!read) this.#read.set(path, (read = this.#load(path)));
    return read;
  }

  async #load(path: string): Promise<Uint8Array | undefined> {
    if (!typeOf(path)) return undefined;
    try {
      const { size } = await this.#fs.stat(path);
      if (this.#bytes + size > LIMIT) return undefined;
      this.#bytes += size;
      return await this.#fs.readFile(path);
    } catch {
      // Missing, or a folder.
      return undefined;
    }
  }
}

export function dataAddress(bytes: Uint8Array, type: string): string {
  let text = "";
  // `fromCharCode` takes only so many arguments at once.
  for (let at = 0; at < bytes.length; at += 32_768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return `data:${type};base64,${btoa(text)}`;
}

function typeOf(path: string): string | undefined {
  const [, ending] = /[^/]\.([a-z0-9]+)$/i.exec(path) ?? [];
  return ending === undefined ? undefined : types[ending.toLowerCase()];
}
