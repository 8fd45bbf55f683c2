import {
  checkDay,
  closeStreams,
  openStream,
  type Refusal,
  renewStreams,
  reserveUse,
  settleUse,
  takeRequest,
  type Usage,
  type UsageLimits,
  type UseMeter,
} from "@robota/runtime/transports";

const KEY = "usage";
/** Share of a minute's requests that may be forgotten when an object is evicted: writing each costs more than it guards. */
const UNSAVED = 10;

/**
 * The use of one principal, stored in its directory. An object runs one piece of code at a time, so counts of any number
 * of sessions at once are exact.
 */
export class StoredUsage {
  readonly #kv: SyncKvStorage;
  readonly #usage: Usage;
  #unsaved = 0;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    this.#usage = kv.get<Usage>(KEY) ?? {};
  }

  request(limits: UsageLimits, spends: boolean): Refusal | undefined {
    const now = Date.now();
    const refusal =
      takeRequest(this.#usage, limits, now) ??
      (spends ? checkDay(this.#usage, limits, now) : undefined);
    this.#unsaved += 1;
    if (this.#unsaved >= limits.requestsPerMinute / UNSAVED) this.#save();
    return refusal;
  }

  open(limits: UsageLimits, id: string): Refusal | undefined {
    const refusal = openStream(this.#usage, limits, { id, now: Date.now() });
    if (!refusal) this.#save();
    return refusal;
  }

  renew(ids: readonly string[]): void {
    renewStreams(this.#usage, ids, Date.now());
    this.#save();
  }

  close(ids: readonly string[]): void {
    closeStreams(this.#usage, ids);
    this.#save();
  }

  reserve(limits: UsageLimits, use: Parameters<UseMeter["reserve"]>[0]): Refusal | undefined {
    const refusal = reserveUse(this.#usage, limits, { use, now: Date.now() });
    if (!refusal) this.#save();
    return refusal;
  }

  settle(settled: Parameters<UseMeter["settle"]>[0]): void {
    settleUse(this.#usage, settled);
    this.#save();
  }

  #save(): void {
    this.#unsaved = 0;
    this.#kv.put(KEY, this.#usage);
  }
}
