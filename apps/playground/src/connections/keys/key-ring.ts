import { createCell, type Readable } from "@robota/react/store";
import { type Connection } from "../connection.ts";
import { originOf } from "../address.ts";
import { connectionsChanged, savedConnections } from "../connections.ts";
import { type KeyState, keyStates } from "../key-states.ts";
import { services } from "../services.ts";
import { writeStored } from "../../state/preferences.ts";
import { KeyVault } from "./key-vault.ts";

/** How long a key is kept: until the page is reloaded, until the tab is closed, or encrypted in this browser. */
export type KeyPlace = "page" | "tab" | "browser";

interface HeldKey {
  key: string;
  /** The only origin that gets it. */
  origin: string;
  place: KeyPlace;
}

const TAB_PREFIX = "robota.key.";

/** The keys of this page, by provider. They are in no other object, and a key goes only to the origin it was entered for. */
class KeyRing {
  readonly #held = new Map<string, HeldKey>();
  readonly #vault = new KeyVault();
  readonly #locked = new Set<string>();
  readonly #revision = createCell(0);
  #read: Promise<void> | undefined;

  /** Increases with every change. */
  get changed(): Readable<number> {
    return this.#revision;
  }

  /** The key for a connection's own origin. */
  keyOf({ provider, baseURL }: Connection): string | undefined {
    const held = this.#held.get(provider) ?? this.#readTab(provider);
    return held?.origin === originOf(baseURL) ? held.key : undefined;
  }

  placeOf({ provider }: Connection): KeyPlace | undefined {
    return this.#held.get(provider)?.place;
  }

  stateOf(connection: Connection): KeyState {
    const { key } = services[connection.service];
    if (key === "none") return "not-needed";
    if (this.keyOf(connection) !== undefined) return "ready";
    if (this.#locked.has(connection.provider)) return "locked";
    return key === "optional" ? "not-needed" : "missing";
  }

  /** Looks up which keys are stored, without opening any. */
  look(): Promise<void> {
    return (this.#read ??= this.#vault.providers().then(
      (providers) => {
        for (const each of providers) if (!this.#held.has(each)) this.#locked.add(each);
        this.#change();
      },
      // Without IndexedDB, as in some private windows, there is no vault.
      () => undefined,
    ));
  }

  /** True while stored keys wait for the passphrase. */
  get isLocked(): boolean {
    return this.#locked.size > 0;
  }

  /** True when a new key can be stored without asking for the passphrase. */
  get isUnlocked(): boolean {
    return this.#vault.isUnlocked;
  }

  /** Opens the stored keys, or sets the first passphrase. @throws {WrongPassphrase} */
  async unlock(passphrase: string): Promise<void> {
    for (const { provider, origin, key } of await this.#vault.unlock(passphrase)) {
      if (!this.#held.has(provider)) this.#held.set(provider, { key, origin, place: "browser" });
      this.#locked.delete(provider);
    }
    this.#change();
  }

  /** Keeps a key. For `browser`, the vault has to be unlocked. */
  async keep({ provider, baseURL }: Connection, key: string, place: KeyPlace): Promise<void> {
    const held = { key: key.trim(), origin: originOf(baseURL), place };
    if (place === "browser") await this.#vault.put({ provider, ...held });
    else await this.#vault.remove(provider).catch(() => undefined);
    if (place === "tab") sessionStorage.setItem(TAB_PREFIX + provider, JSON.stringify(held));
    else forgetInTab(provider);
    this.#held.set(provider, held);
    this.#locked.delete(provider);
    this.#change();
  }

  async forget({ provider }: Connection): Promise<void> {
    this.#held.delete(provider);
    this.#locked.delete(provider);
    forgetInTab(provider);
    await this.#vault.remove(provider).catch(() => undefined);
    this.#change();
  }

  /** Forgets every stored key, such as when the passphrase is lost. */
  async forgetStored(): Promise<void> {
    for (const [provider, { place }] of this.#held)
      if (place === "browser") this.#held.delete(provider);
    this.#locked.clear();
    await this.#vault.clear();
    this.#change();
  }

  #readTab(provider: string): HeldKey | undefined {
    try {
      const held: unknown = JSON.parse(sessionStorage.getItem(TAB_PREFIX + provider) ?? "null");
      if (!isHeld(held)) return undefined;
      this.#held.set(provider, held);
      return held;
    } catch {
      return undefined;
    }
  }

  #change(): void {
    this.#revision.set(this.#revision.get() + 1);
    this.report();
  }

  /** Tells the chip, which loads before the keys. */
  report(): void {
    keyStates.set(
      new Map(savedConnections().map((each) => [each.provider, this.stateOf(each)] as const)),
    );
  }
}

/** Where the browser stores nothing, the tab holds no key either. */
function forgetInTab(provider: string): void {
  writeStored(TAB_PREFIX + provider, undefined, "sessionStorage");
}

function isHeld(value: unknown): value is HeldKey {
  if (typeof value !== "object" || value === null) return false;
  const { key, origin, place } = value as Record<string, unknown>;
  return typeof key === "string" && typeof origin === "string" && place === "tab";
}

export const keyRing = new KeyRing();
connectionsChanged.subscribe(() => keyRing.report());
