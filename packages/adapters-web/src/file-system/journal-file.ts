/** The bytes of a workspace's journal; `undefined` when there is none. */
export async function readJournal(workspace: string): Promise<Uint8Array | undefined> {
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
  try {
    const directory = await navigator.storage.getDirectory();
    await directory.removeEntry(await journalName(workspace));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** In the origin's private file system, which allows fewer names than workspaces have. */
export async function journalName(workspace: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(workspace));
  const digits = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return `robota-journal-${digits.join("")}`;
}

/** No such file, or no private file system at all: an older browser, or one that keeps nothing. */
function isMissing(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  return error instanceof DOMException && /^(?:NotFoundError|SecurityError)$/.test(error.name);
}
