import {
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  FileSystemError,
} from "@robota/runtime";
import { basename, dirname } from "@robota/runtime/ports";
import { WORKSPACE_ROOT } from "../constants.ts";
import { accessTo } from "./server-access.ts";

interface Entry extends DirectoryEntry {
  size: number;
  /** ISO 8601. */
  modifiedAt: string;
}

/** The part of a file system that the page needs and the server offers. */
type ServedFiles = Pick<
  FileSystem,
  "readFile" | "readdir" | "stat" | "lstat" | "writeFile" | "mkdir" | "remove" | "rename"
>;

/**
 * The files of a session on a server, as if its workspace were this page's. Folders are there as long as they have files.
 * @param onChange called after each change that this page made
 */
export function serverFiles(server: string, sessionId: string, onChange: () => void): FileSystem {
  const request = requestsTo(server, sessionId);
  const files: ServedFiles = {
    async readFile(path) {
      const answer = await request(path, { path });
      return new Uint8Array(await answer.arrayBuffer());
    },
    readdir: async (path) => (await listed(path)).map(({ name, type }) => ({ name, type })),
    stat: (path) => files.lstat(path),
    async lstat(path) {
      if (path === WORKSPACE_ROOT) return statOf({ type: "directory", size: 0, modifiedAt: "" });
      const entry = (await listed(dirname(path))).find(({ name }) => name === basename(path));
      if (!entry) throw new FileSystemError("ENOENT", path);
      return statOf(entry);
    },
    async writeFile(path, data) {
      const body = typeof data === "string" ? data : new Uint8Array(data);
      await request(path, { path, method: "PUT", body });
      onChange();
    },
    // The server makes the folders above a file.
    mkdir: async () => undefined,
    async remove(path, { recursive = false } = {}) {
      const { type } = await files.lstat(path);
      if (type === "directory" && recursive)
        for (const { name } of await listed(path))
          await files.remove(`${path}/${name}`, { recursive });
      await request(path, { path, method: "DELETE" });
      onChange();
    },
    async rename(from, to) {
      const { type } = await files.lstat(from);
      if (type === "directory") {
        for (const { name } of await listed(from))
          await files.rename(`${from}/${name}`, `${to}/${name}`);
        await files.remove(from);
        return;
      }
      await files.writeFile(to, await files.readFile(from));
      await files.remove(from);
    },
  };

  async function listed(path: string): Promise<Entry[]> {
    const answer = await request(path, {});
    return ((await answer.json()) as { entries: Entry[] }).entries;
  }

  return { ...files, ...notOffered };
}

interface FileRequest {
  /** Names a file; the request lists the folder without. */
  path?: string;
  method?: "PUT" | "DELETE";
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Requests for the files of one session. They reject with a `FileSystemError` that has the server's words. */
function requestsTo(server: string, sessionId: string) {
  const { url, token } = accessTo(server);
  const address = `${url.replace(/\/+$/, "")}/v1/sessions/${encodeURIComponent(sessionId)}/files`;

  return async (place: string, { path, method, body }: FileRequest): Promise<Response> => {
    const below = place === WORKSPACE_ROOT ? "" : place.slice(WORKSPACE_ROOT.length + 1);
    const segments = below.split("/").map(encodeURIComponent).join("/");
    const target = path === undefined ? `?path=${encodeURIComponent(below)}` : `/${segments}`;
    const headers = {
      authorization: `Bearer ${token() ?? ""}`,
      ...(body !== undefined && { "content-type": "application/octet-stream" }),
    };
    const answer = await fetch(`${address}${target}`, {
      method: method ?? "GET",
      headers,
      cache: "no-store",
      ...(body !== undefined && { body }),
    }).catch((cause: unknown) => {
      throw new FileSystemError("EIO", place, { cause, hint: "The server can't be reached." });
    });
    if (answer.ok) return answer;
    throw await refusal(answer, place);
  };
}

const CODES: Readonly<Record<number, FileSystemError["code"]>> = {
  400: "EINVAL",
  401: "EACCES",
  403: "EACCES",
  404: "ENOENT",
  409: "EEXIST",
  413: "ENOSPC",
};

async function refusal(answer: Response, path: string): Promise<FileSystemError> {
  const { detail = "" } = (await answer.json().catch(() => ({}))) as { detail?: string };
  return new FileSystemError(CODES[answer.status] ?? "EIO", path, { hint: detail });
}

function statOf({ type, size, modifiedAt }: Omit<Entry, "name">): FileStat {
  const mode = type === "directory" ? 0o755 : 0o644;
  return { type, size, mode, mtimeMs: Date.parse(modifiedAt) || 0 };
}

const refuse = (path: string): Promise<never> =>
  Promise.reject(
    new FileSystemError("EPERM", path, { hint: "The server has no way to do this for a page." }),
  );

const notOffered: Omit<FileSystem, keyof ServedFiles> = {
  appendFile: refuse,
  symlink: (_target, path) => refuse(path),
  readlink: refuse,
  realpath: async (path) => path,
  chmod: refuse,
  utimes: refuse,
};
