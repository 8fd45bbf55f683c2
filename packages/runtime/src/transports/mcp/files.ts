import type { McpServer } from "@modelcontextprotocol/server";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type * as Sdk from "./sdk.ts";

interface Files {
  session: InteractiveSession;
  fs: FileSystem;
  root: string;
}

const SCHEME = "workspace://";
/** Entries of a list, so that a workspace of any size is listed in bounded time. */
const MAX_LISTED = 1000;
const MAX_BYTES = 1024 * 1024;
/** Directories that fill a list with what nobody wrote. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Offers the files of the workspace as resources, as far as the session's rules let its model read them without asking. */
export function addFiles(server: McpServer, sdk: typeof Sdk, files: Files): void {
  const template = new sdk.ResourceTemplate(`${SCHEME}/{+path}`, {
    list: async () => ({
      resources: (await listFiles(files)).map((path) => resourceOf(path, files)),
    }),
  });
  server.registerResource(
    "files",
    template,
    { title: "Files of the workspace", description: "Text as it is, anything else as base64." },
    async (uri) => {
      const path = await readablePath(uri, files);
      if (path === undefined) throw new sdk.ResourceNotFoundError(uri.href);
      const bytes = await files.fs.readFile(path);
      const text = textOf(bytes);
      if (text !== undefined) return { contents: [{ uri: uri.href, text }] };
      return { contents: [{ uri: uri.href, blob: base64(bytes) }] };
    },
  );
}

function resourceOf(path: string, { root }: Files): { uri: string; name: string } {
  const name = path.slice(root === "/" ? 1 : root.length + 1);
  return { uri: `${SCHEME}/${name.split("/").map(encodeURIComponent).join("/")}`, name };
}

/** The canonical path behind an address; `undefined` for one that is not there, leads out, or needs an approval. */
async function readablePath(
  { pathname }: URL,
  { session, fs, root }: Files,
): Promise<string | undefined> {
  try {
    const [top, path] = [
      await fs.realpath(root),
      await fs.realpath(root + decodeURIComponent(pathname)),
    ];
    const isInside = path.startsWith(top === "/" ? top : `${top}/`);
    const { type, size } = await fs.stat(path);
    if (!isInside || type !== "file" || size > MAX_BYTES) return undefined;
    return isReadable(session, path) ? path : undefined;
  } catch {
    return undefined;
  }
}

function isReadable(session: InteractiveSession, filePath: string): boolean {
  return session.explain("Read", { filePath }).decision === "auto";
}

async function listFiles({ session, fs, root }: Files): Promise<string[]> {
  const found: string[] = [];
  const directories = [root];
  for (let at = 0; at < directories.length && found.length < MAX_LISTED; at += 1) {
    const directory = directories[at] ?? root;
    for (const { name, type } of await fs.readdir(directory)) {
      const path = directory === "/" ? `/${name}` : `${directory}/${name}`;
      if (type === "directory" && !SKIPPED.has(name)) directories.push(path);
      if (type === "file" && isReadable(session, path)) found.push(path);
    }
  }
  return found.slice(0, MAX_LISTED);
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
