import type { FileSystem, Platform } from "@robota/runtime";
import type { InstallerPlatform } from "../../../packages/runtime/src/interactive/bundles/bundle-plugin-installer.ts";
import { compress, writeTar, writeZip } from "@robota/runtime/virtual";
import type { Files } from "../settings-support.ts";
import { textOf } from "../settings-support.ts";

const WHEN = Date.UTC(2026, 0, 2, 3, 4, 6);

/** A member of an archive that is being written. */
export interface Member {
  name: string;
  text?: string;
  bytes?: Uint8Array;
  type?: "file" | "directory" | "symlink";
  target?: string;
  mode?: number;
}

export const MANIFEST = { name: "greeter", version: "1.0.0", description: "Greets people" };

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The members of a bundle with these files; objects are written as JSON. */
export function membersOf(files: Files): Member[] {
  return Object.entries(files).map(([name, content]) => ({ name, text: textOf(content) }));
}

export function zipOf(members: readonly Member[]): Promise<Uint8Array> {
  return writeZip(
    members.map(({ name, text = "", bytes = bytesOf(text), type, target, mode = 0o644 }) => ({
      name,
      mode,
      mtimeMs: WHEN,
      isSymlink: type === "symlink",
      bytes: target === undefined ? bytes : bytesOf(target),
    })),
  );
}

function tarOf(members: readonly Member[]): Uint8Array {
  return writeTar(
    members.map(({ name, text = "", bytes, type = "file", target = "", mode = 0o644 }) => ({
      name,
      type,
      mode,
      mtimeMs: WHEN,
      content: bytes ?? bytesOf(text),
      target,
    })),
  );
}

export async function tarGzOf(members: readonly Member[]): Promise<Uint8Array> {
  return compress(tarOf(members), "gzip");
}

/** A web server's answers, by address; a function decides by the request. */
export type Served = Record<string, Uint8Array | string | ((request: Request) => Response)>;

/** A host's platform for installations whose network is `served`. */
export function installerPlatform(platform: Platform, served: Served = {}): InstallerPlatform {
  const { fs, storage, home, cwd } = platform;
  return { fs, storage, home, cwd, now: () => platform.now(), fetch: fetchOf(served) };
}

/** A fetch that knows these addresses only, and counts nothing else than them. */
function fetchOf(served: Served): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const answer = served[url];
    if (answer === undefined) return new Response("not here", { status: 404 });
    if (typeof answer === "function")
      return answer(new Request(url, { headers: init?.headers ?? {} }));
    return new Response(typeof answer === "string" ? answer : answer.slice());
  };
}

/** Writes files below a directory; objects as JSON. */
export async function writeFiles(fs: FileSystem, directory: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const whole = `${directory}/${path}`;
    await fs.mkdir(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    await fs.writeFile(whole, textOf(content));
  }
}
