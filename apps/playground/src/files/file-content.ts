import type { FileSystem } from "@robota/runtime";

export type FileContent =
  /** `isExact` unless writing the text would change bytes that are no UTF-8. */
  | { kind: "text"; text: string; size: number; isExact: boolean }
  | { kind: "image"; url: string; size: number }
  | { kind: "binary"; size: number }
  /** Too large to be read at all. */
  | { kind: "huge"; size: number }
  /** Too large to show as a whole. */
  | { kind: "large"; text: string; size: number }
  | { kind: "missing" }
  | { kind: "failed"; message: string };

const imageTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  ico: "image/x-icon",
  // Inside an `img` element, an SVG runs no scripts and loads nothing.
  svg: "image/svg+xml",
};

const TEXT_LIMIT = 1_000_000;
/** Bytes of a file that is read to show it; more would stop the page. */
const READ_LIMIT = 20_000_000;
const SNIFF = 8000;

/** Reads a file for display. The receiver of an `image` must revoke its address when done. */
export async function readContent(fs: FileSystem, path: string): Promise<FileContent> {
  try {
    const { size } = await fs.stat(path);
    if (size > READ_LIMIT) return { kind: "huge", size };
    const bytes = new Uint8Array(await fs.readFile(path));
    const type = imageTypes[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
    if (type) return { kind: "image", url: URL.createObjectURL(new Blob([bytes], { type })), size };
    if (bytes.subarray(0, SNIFF).includes(0)) return { kind: "binary", size };
    if (size > TEXT_LIMIT)
      return { kind: "large", text: decode(bytes.subarray(0, TEXT_LIMIT)), size };
    const text = decode(bytes);
    return { kind: "text", text, size, isExact: isUtf8(bytes) };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { kind: "missing" };
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

/** A byte order mark stays in the text, so that an edited file keeps it. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
