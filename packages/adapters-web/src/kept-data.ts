/** The site's storage use in this browser. */
export interface StorageUse {
  /** True when the browser has promised not to clear this site's data by itself; see `requestPersistence`. */
  persisted: boolean;
  /** Bytes that this site stores, as the browser estimates them. */
  usage: number | undefined;
  /** Bytes that it may store at most. Not a promise: a full disk ends it earlier, and browsers may say the same to everyone. */
  quota: number | undefined;
}

/** Facts about the safety of a workspace's data in this browser. */
export interface StorageState extends StorageUse {
  /**
   * Time at which the workspace was created, in milliseconds since the epoch, if its files have vanished since: the
   * browser or a person has cleared them. Known to the tab that opened the workspace first.
   */
  lostSince: number | undefined;
}

/**
 * Asks the browser to protect this site's data from eviction. Must be called from a click or a key press, since
 * browsers ask the person or decide by the use of the site. Resolves to the answer.
 */
export async function requestPersistence(): Promise<boolean> {
  return "storage" in navigator && navigator.storage.persist();
}

/**
 * Remembers in `localStorage`, which browsers clear by other rules than their databases, that a workspace was made.
 * Returns when that was, if there is nothing of it any more.
 */
export function noteOpened(
  workspace: string,
  facts: { isNew: boolean; now: number },
): number | undefined {
  const key = openedKey(workspace);
  try {
    const marker = localStorage.getItem(key);
    if (facts.isNew || marker === null) localStorage.setItem(key, String(facts.now));
    return facts.isNew && marker !== null ? Number(marker) : undefined;
  } catch {
    // Workers have none, people forbid it, and it can be full: then nothing is known.
    return undefined;
  }
}

/** An intentional deletion is not a loss. */
export function forgetOpened(workspace: string): void {
  try {
    localStorage.removeItem(openedKey(workspace));
  } catch {
    // As in `noteOpened`.
  }
}

function openedKey(workspace: string): string {
  return `robota-workspace:${workspace}`;
}

/** Asks the browser how much this site stores, in all its workspaces together. */
export async function storageUse(): Promise<StorageUse> {
  // WebKit without a profile has no such thing.
  if (!("storage" in navigator)) return { persisted: false, usage: undefined, quota: undefined };
  const { storage } = navigator;
  const [persisted, { usage, quota }] = await Promise.all([
    storage.persisted(),
    storage.estimate(),
  ]);
  return { persisted, usage, quota };
}
