import {
  archiveSource,
  type ImportEntry,
  type ImportRequest,
  type ImportSource,
} from "@robota/runtime/virtual";

const ARCHIVE = /\.(?:zip|tar|tgz|tar\.gz)$/i;

/** A folder or file of the person's machine, in one of the forms in which browsers give them. */
type Dropped = FileSystemHandle | FileSystemEntry | File;

/** One item of a drop, as the browser gives it or as it was kept. */
export interface DroppedItem extends Pick<
  DataTransferItem,
  "kind" | "webkitGetAsEntry" | "getAsFile"
> {
  /** Not in TypeScript's types: it is Chromium's. */
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/** The items of a drop: a `DataTransfer`, or what was kept of one. */
export interface DroppedItems {
  readonly items: ArrayLike<DroppedItem>;
}

/**
 * The dropped items: a zip or tar is unpacked, everything else is taken unchanged, folders recursively. A `DataTransfer`
 * must be given while the `drop` event is handled, because the browser releases its items after it.
 */
export async function droppedSource(transfer: DroppedItems): Promise<ImportSource> {
  const items = Array.from(transfer.items).filter(({ kind }) => kind === "file");
  const found = items.map(async (item) => {
    const [entry, file] = [item.webkitGetAsEntry(), item.getAsFile()];
    const handle = await item.getAsFileSystemHandle?.().catch(() => null);
    return handle ?? entry ?? file;
  });
  const dropped: Dropped[] = [];
  for (const each of await Promise.all(found)) if (each) dropped.push(each);
  return sourceOf(dropped);
}

/** A folder picked with `showDirectoryPicker`. */
export function folderSource(folder: FileSystemDirectoryHandle): ImportSource {
  return { name: undefined, entries: (request) => walk(folder, folder.name, request) };
}

/** Files picked with an `<input type="file">`, with or without `webkitdirectory`. A zip or tar is unpacked. */
export function fileSource(files: Iterable<File>): Promise<ImportSource> {
  return sourceOf([...files]);
}

async function sourceOf(dropped: readonly Dropped[]): Promise<ImportSource> {
  const [only] = dropped;
  if (only && dropped.length === 1 && ARCHIVE.test(only.name)) {
    const file = await fileOf(only);
    if (file) return archiveSource(file, file.name);
  }
  return {
    name: undefined,
    async *entries(request) {
      for (const each of dropped) yield* walk(each, pathOf(each), request);
    },
  };
}

function pathOf(dropped: Dropped): string {
  return (dropped instanceof File && dropped.webkitRelativePath) || dropped.name;
}

async function* walk(
  dropped: Dropped,
  path: string,
  request: ImportRequest,
): AsyncGenerator<ImportEntry> {
  const file = await fileOf(dropped);
  if (file) {
    yield {
      ...noLink,
      path,
      type: "file",
      size: file.size,
      mtimeMs: file.lastModified,
      content: async () => new Uint8Array(await file.arrayBuffer()),
    };
    return;
  }
  yield { ...noLink, path, type: "directory", size: 0, content: async () => new Uint8Array() };
  if (request.leavesOut(path)) return;
  for await (const child of childrenOf(dropped))
    yield* walk(child, `${path}/${child.name}`, request);
}

/** Browsers hide symlinks: they return the target. */
const noLink = { target: async () => "" };

async function fileOf(dropped: Dropped): Promise<File | undefined> {
  if (dropped instanceof File) return dropped;
  if (dropped instanceof FileSystemFileHandle) return dropped.getFile();
  if ("isFile" in dropped && dropped.isFile) {
    return new Promise((resolve, reject) => (dropped as FileSystemFileEntry).file(resolve, reject));
  }
  return undefined;
}

async function* childrenOf(directory: Dropped): AsyncGenerator<Dropped> {
  if (directory instanceof FileSystemDirectoryHandle) return yield* directory.values();
  const reader = (directory as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // Entries arrive a hundred at a time, until there are none.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    yield* some;
  }
}
