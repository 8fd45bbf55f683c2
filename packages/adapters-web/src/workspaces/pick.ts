import type { ImportSource } from "@robota/runtime/virtual";
import { fileSource, folderSource } from "./folder-source.ts";

/** Not in TypeScript's types: they are Chromium's. */
interface Pickers {
  showDirectoryPicker?(options: { mode: "read" }): Promise<FileSystemDirectoryHandle>;
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Asks for a folder. From a click or a key press. Undefined when the person wants none. */
export async function pickFolder(): Promise<ImportSource | undefined> {
  const pickers: Pickers & typeof globalThis = globalThis;
  if (!pickers.showDirectoryPicker) return pickFiles({ webkitdirectory: true });
  return pickers.showDirectoryPicker({ mode: "read" }).then(folderSource, unlessUnwanted);
}

/** Asks for a zip or tar. From a click or a key press. Undefined when the person wants none. */
export function pickArchive(): Promise<ImportSource | undefined> {
  return pickFiles({ accept: ".zip,.tar,.tgz,.gz,application/zip,application/gzip" });
}

/**
 * Saves a stream as a file of the person's machine. From a click or a key press. Where the browser offers a file
 * picker, it is streamed to disk; elsewhere it is a download, which the browser buffers until complete. Resolves to
 * whether the person accepted.
 */
export async function saveStream(
  stream: ReadableStream<Uint8Array>,
  name: string,
): Promise<boolean> {
  const pickers: Pickers & typeof globalThis = globalThis;
  if (!pickers.showSaveFilePicker) {
    download(await new Response(stream).blob(), name);
    return true;
  }
  const file = await pickers.showSaveFilePicker({ suggestedName: name }).catch(unlessUnwanted);
  if (!file) {
    await stream.cancel();
    return false;
  }
  // A failure in the middle leaves the file unchanged.
  await stream.pipeTo(await file.createWritable());
  return true;
}

function unlessUnwanted(error: unknown): undefined {
  if (error instanceof DOMException && error.name === "AbortError") return undefined;
  throw error;
}

function pickFiles(
  options: Partial<Pick<HTMLInputElement, "accept" | "webkitdirectory">>,
): Promise<ImportSource | undefined> {
  return new Promise((resolve) => {
    const input = Object.assign(document.createElement("input"), { type: "file", ...options });
    input.addEventListener("change", () => resolve(fileSource(input.files ?? [])));
    input.addEventListener("cancel", () => resolve(undefined));
    input.click();
  });
}

function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  // The browser has read the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
