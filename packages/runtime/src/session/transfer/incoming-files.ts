import { defined } from "../../defined.ts";
import { requireBase64 } from "./base64.ts";
import { sha256 } from "../../digest.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { MODE_BITS } from "../../ports/mode.ts";
import { dirname, isWithin, normalizePath, resolvePath } from "../../ports/path.ts";
import type { Storage } from "../../ports/storage.ts";
import { applyPatch, encodePatch, type Patch, readPatch } from "../files/durable-overlay.ts";
import { Payloads } from "../files/payloads.ts";
import { unlessMissing } from "../files/versions.ts";
import { MAX_TRANSFERRED } from "./format.ts";
import { invalid } from "./lines.ts";
import { type Moved, movedTarget } from "./paths.ts";
import { isObject } from "./safe-events.ts";
import { overlayKey } from "../store/storage-keys.ts";

export interface IncomingFilesOptions {
  storage: Storage;
  sessionId: string;
  moved: Moved;
  /** True when files are stored at all. */
  keeps: boolean;
  /** Contents that events refer to. */
  payloads: ReadonlySet<string>;
  maxFiles: number;
}

interface Arriving {
  size: number;
  pieces: Uint8Array[];
  length: number;
  done(bytes: Uint8Array): Promise<void>;
}

/** Stores the files and contents of an arriving session, beside its log and nowhere else. */
export class IncomingFiles {
  readonly #options: IncomingFilesOptions;
  readonly #contents: Payloads;
  readonly #kept = new Set<string>();
  #arriving: Arriving | undefined;
  #count = 0;

  constructor(options: IncomingFilesOptions) {
    this.#options = options;
    this.#contents = new Payloads(options.storage, options.sessionId, { payloads: this.#kept });
  }

  /** Number of paths. */
  get count(): number {
    return this.#count;
  }

  async payload(facts: unknown, data: unknown): Promise<void> {
    this.requireWhole();
    const hash = isObject(facts) ? facts["sha256"] : undefined;
    if (!isObject(facts) || typeof hash !== "string" || !this.#options.payloads.has(hash))
      throw invalid("a content that no event refers to");
    this.#arriving = this.#begin(facts["size"], async (bytes) => {
      if ((await sha256(bytes)) !== hash) throw invalid(`the content ${hash} is another one`);
      await this.#contents.put([bytes]);
    });
    await this.data(data);
  }

  async file(facts: unknown, data: unknown): Promise<void> {
    this.requireWhole();
    this.#count += 1;
    if (this.#count > this.#options.maxFiles)
      throw invalid(`more than ${this.#options.maxFiles} files`);
    const patch = this.#patchOf(facts);
    if (patch.type !== "file") return this.#keep(patch);
    const size = isObject(facts) ? facts["size"] : undefined;
    this.#arriving = this.#begin(size, (bytes) => this.#keep(patch, bytes));
    await this.data(data);
  }

  async data(data: unknown): Promise<void> {
    const arriving = this.#arriving;
    if (!arriving) throw invalid("data that belongs to nothing");
    const piece = requireBase64(data);
    arriving.pieces.push(piece);
    arriving.length += piece.length;
    if (arriving.length > arriving.size) throw invalid("more data than was announced");
    if (arriving.length < arriving.size) return;
    this.#arriving = undefined;
    await arriving.done(joined(arriving.pieces, arriving.length));
  }

  /** @throws {ValidationError} when something has arrived incompletely */
  requireWhole(): void {
    if (this.#arriving) throw invalid("less data than was announced");
  }

  #begin(size: unknown, done: (bytes: Uint8Array) => Promise<void>): Arriving {
    const isSize = typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
    if (!isSize || size > MAX_TRANSFERRED) throw invalid("a file of that size");
    return { size, pieces: [], length: 0, done };
  }

  async #keep(patch: Patch, bytes?: Uint8Array): Promise<void> {
    const { storage, sessionId, keeps } = this.#options;
    if (keeps) await storage.append(overlayKey(sessionId), [encodePatch(patch, bytes)]);
  }

  #patchOf(facts: unknown): Patch {
    if (!isObject(facts) || typeof facts["path"] !== "string")
      throw invalid("a file without a path");
    const { moved } = this.#options;
    const path = placeOf(moved.to, facts["path"]);
    const { type, mode, mtimeMs, target } = facts;
    switch (type) {
      case "none":
        return { path, type };
      case "file":
      case "directory":
        return defined({
          path,
          type,
          mode: typeof mode === "number" ? mode & MODE_BITS : undefined,
          mtimeMs: typeof mtimeMs === "number" ? mtimeMs : undefined,
        });
      case "symlink": {
        const safe = typeof target === "string" ? movedTarget(moved, path, target) : undefined;
        if (safe === undefined) throw invalid(`the link ${path} leads out of the workspace`);
        return { path, type, target: safe };
      }
      default:
        throw invalid(`${path} is of no known type`);
    }
  }
}

/** @throws {ValidationError} for a path outside of the workspace */
function placeOf(cwd: string, path: string): string {
  const segments = path.split("/");
  const isPlain = segments.every((name) => name !== "" && name !== "." && name !== "..");
  if (!isPlain || /[\p{Cc}\\]/u.test(path))
    throw invalid(`${JSON.stringify(path)} is not a path in it`);
  return resolvePath(cwd, path);
}

/**
 * Writes arrived files into the workspace itself, overwriting what is there.
 * @throws {ValidationError} when a link in the workspace would lead one of them out of it
 */
export async function placeFiles(
  fs: FileSystem,
  storage: Storage,
  sessionId: string,
  cwd: string,
): Promise<void> {
  await fs.mkdir(cwd, { recursive: true });
  const root = await fs.realpath(cwd);
  const log = overlayKey(sessionId);
  for await (const { value } of storage.read(log)) {
    const { path } = readPatch(value);
    if (!isWithin(root, await nearestReal(fs, dirname(path))))
      throw invalid(`${path} leads out of the workspace here`);
    await applyPatch(fs, value);
  }
  await storage.deleteLog(log);
}

/** The canonical path of the nearest existing ancestor. */
async function nearestReal(fs: FileSystem, path: string): Promise<string> {
  for (let place = normalizePath(path); ; place = dirname(place)) {
    const real = await unlessMissing(fs.realpath(place));
    if (real !== undefined) return real;
    const isLink = (await unlessMissing(fs.lstat(place)))?.type === "symlink";
    // A dangling link may lead there later.
    if (isLink || place === "/") return "/";
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
