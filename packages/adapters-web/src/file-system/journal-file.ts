/** The bytes of a workspace's journal; `undefined` without one. */
export async function readJournal(workspace: string): Promise<Uint8Array | undefined> {
  if (!hasPrivateFiles()) return undefined;
  try {
    const directory = await navigator.storage.getDirectory();
    const handle = await directory.getFileHandle(await journalName(workspace));
    return new Uint8Array(await (await handle.getFile()).arrayBuffer());
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function deleteJournal(workspace: string): Promise<void> {
  if (!hasPrivateFiles()) return;
  try {
    const directory = await navigator.storage.getDirectory();
    await directory.removeEntry(await journalName(workspace));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** File name in the origin's private file system, which allows fewer names than workspaces have. */
export async function journalName(workspace: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(workspace));
  const digits = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return `robota-journal-${digits.join("")}`;
}

/** Older browsers have none, and WebKit none in a private window: some without all of `navigator.storage`. */
function hasPrivateFiles(): boolean {
  return "storage" in navigator && "getDirectory" in navigator.storage;
}

/** Reports whether the file is missing, or the browser has no private file system. */
function isMissing(error: unknown): boolean {
  return error instanceof DOMException && /^(?:NotFoundError|SecurityError)$/.test(error.name);
}
