import { clear, createStore, del, entries, get, set } from "idb-keyval";
import { deriveKey, type Derivation, newDerivation, seal, type Sealed, unseal } from "./seal.ts";

const LOCK = "lock";
const LOCK_TEXT = "robota";

interface Lock {
  derivation: Derivation;
  /** A known text, which tells a wrong passphrase from a damaged key. */
  check: Sealed;
}

interface StoredKey {
  sealed: Sealed;
  origin: string;
}

/** A key of the vault, opened. */
export interface VaultKey {
  provider: string;
  origin: string;
  key: string;
}

/** The passphrase is not the one that the keys were stored with. */
export class WrongPassphrase extends Error {
  override readonly name = "WrongPassphrase";
}

const store = createStore("robota-keys", "vault");
const entryOf = (provider: string): string => `key ${provider}`;
const purposeOf = (provider: string, origin: string): string => `${provider} ${origin}`;

/** Keys in this browser's IndexedDB, encrypted with one passphrase. Names and origins are stored in plain, keys are not. */
export class KeyVault {
  #key: CryptoKey | undefined;

  /** Providers with a stored key. */
  async providers(): Promise<string[]> {
    const all = await entries<string, unknown>(store);
    return all.flatMap(([name]) => (name.startsWith("key ") ? [name.slice(4)] : []));
  }

  get isUnlocked(): boolean {
    return this.#key !== undefined;
  }

  /** Opens the vault; the first passphrase is the one for all later keys. @throws {WrongPassphrase} */
  async unlock(passphrase: string): Promise<VaultKey[]> {
    const lock = (await get<Lock>(LOCK, store)) ?? undefined;
    const derivation = lock?.derivation ?? newDerivation();
    const key = await deriveKey(passphrase, derivation);
    if (!lock) await set(LOCK, { derivation, check: await seal(key, LOCK_TEXT, LOCK) }, store);
    else if ((await unseal(key, lock.check, LOCK)) !== LOCK_TEXT) throw new WrongPassphrase();
    this.#key = key;
    return this.#open(key);
  }

  /** @throws {Error} while it is locked */
  async put({ provider, origin, key: text }: VaultKey): Promise<void> {
    if (!this.#key) throw new Error("The keys are locked");
    const sealed = await seal(this.#key, text, purposeOf(provider, origin));
    await set(entryOf(provider), { sealed, origin } satisfies StoredKey, store);
  }

  /** With the last key goes the passphrase. */
  async remove(provider: string): Promise<void> {
    await del(entryOf(provider), store);
    if ((await this.providers()).length === 0) await this.clear();
  }

  /** Forgets all keys, and the passphrase. */
  async clear(): Promise<void> {
    this.#key = undefined;
    await clear(store);
  }

  async #open(key: CryptoKey): Promise<VaultKey[]> {
    const found: VaultKey[] = [];
    for (const [name, value] of await entries<string, StoredKey>(store)) {
      if (!name.startsWith("key ")) continue;
      const provider = name.slice(4);
      const text = await unseal(key, value.sealed, purposeOf(provider, value.origin));
      if (text !== undefined) found.push({ provider, origin: value.origin, key: text });
    }
    return found;
  }
}
