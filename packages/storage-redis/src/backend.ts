import { RobotaError } from "@robota/runtime";
import type { LogEntry } from "@robota/runtime/ports";
import type {
  LeaseClaim,
  LeaseTerms,
  StorageBackend,
  ValueWrite,
} from "@robota/runtime/shared-storage";
import { RESP_TYPES } from "redis";
import { checkServer } from "./check-server.ts";
import type { RedisConnection } from "./connection.ts";
import { scripts } from "./scripts.ts";

type Argument = string | Buffer;
/** Milliseconds that a command waits for a connection that was lost. */
const RECONNECT_MS = 5000;
/** Milliseconds for an answer: a server that is cut off without a word would else be waited for as long as TCP does. */
const ANSWER_MS = 60_000;
const BYTES = { [RESP_TYPES.BLOB_STRING]: Buffer } as const;

export interface BackendOptions {
  prefix: string;
  checksServer: boolean;
  /** Closes the connection with the storage. */
  ownsClient: boolean;
}

/** Keys below a prefix as the operations of a storage. */
export class RedisBackend implements StorageBackend {
  readonly #client: RedisConnection;
  readonly #options: BackendOptions;
  readonly #digests = new Map<keyof typeof scripts, Promise<string>>();
  #prepared: Promise<void> | undefined;

  constructor(client: RedisConnection, options: BackendOptions) {
    this.#client = client;
    this.#options = options;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const data = await this.#send<Buffer | null>(["HGET", this.#value(key), "data"]);
    return data === null ? undefined : bytesOf(data);
  }

  async version(key: string): Promise<string | undefined> {
    const version = await this.#send<Buffer | null>(["HGET", this.#value(key), "version"]);
    return version?.toString();
  }

  async set(key: string, value: Uint8Array, { version, ifMatch }: ValueWrite): Promise<boolean> {
    const condition =
      ifMatch === undefined ? ["any"] : ifMatch === null ? ["none"] : ["match", ifMatch];
    const keys = [this.#value(key), this.#index];
    return (await this.#run("set", keys, [key, version, bufferOf(value), ...condition])) === 1;
  }

  async delete(key: string): Promise<void> {
    await this.#run("delete", [this.#value(key), this.#index], [key]);
  }

  async keys(prefix: string): Promise<string[]> {
    // Every character of a key is smaller than "~".
    const keys = await this.#send<Buffer[]>([
      "ZRANGEBYLEX",
      this.#index,
      `[${prefix}`,
      `(${prefix}~`,
    ]);
    return keys.map((key) => key.toString());
  }

  async append(
    log: string,
    entries: readonly Uint8Array[],
    claim?: LeaseClaim,
  ): Promise<number | undefined> {
    const last = await this.#write("append", log, claim, entries.map(bufferOf));
    return last < 0 ? undefined : last;
  }

  async deleteLog(log: string, claim?: LeaseClaim): Promise<boolean> {
    return (await this.#write("deleteLog", log, claim)) >= 0;
  }

  lastSeq(log: string): Promise<number> {
    return this.#send<number>(["LLEN", this.#log(log)]);
  }

  async page(log: string, from: number, to: number): Promise<LogEntry[]> {
    const entries = await this.#run<Buffer[]>("page", [this.#log(log)], [`${from}`, `${to}`]);
    return entries.map((entry, index) => ({ seq: from + index, value: bytesOf(entry) }));
  }

  async take({ name, token }: LeaseClaim, { ttlMs, steal }: LeaseTerms): Promise<boolean> {
    const values = [token, `${ttlMs}`, steal ? "1" : "0", name];
    return (await this.#run("take", [this.#lease(name), this.#channel], values)) === 1;
  }

  async renew(claims: readonly LeaseClaim[], ttlMs: number): Promise<LeaseClaim[]> {
    const keys = claims.map(({ name }) => this.#lease(name));
    const values = [`${ttlMs}`, ...claims.map(({ token }) => token)];
    const kept = await this.#run<number[]>("renew", keys, values);
    return claims.filter((_, index) => kept[index] === 1);
  }

  async free({ name, token }: LeaseClaim): Promise<void> {
    await this.#run("free", [this.#lease(name), this.#channel], [token, name]);
  }

  async watch(listener: (name: string) => void): Promise<() => Promise<void>> {
    await this.#prepare();
    // A connection that listens can do nothing else. Nobody waits for it, least of all a close.
    const listening = this.#client.duplicate();
    listening.on("error", () => undefined);
    const subscribe = async (): Promise<void> => {
      await listening.connect();
      await listening.subscribe(this.#channel, listener);
    };
    subscribe().catch(() => undefined);
    return async () => listening.destroy();
  }

  isFull(error: unknown): boolean {
    return error instanceof Error && error.message.startsWith("OOM ");
  }

  async close(): Promise<void> {
    const { isOpen, isReady } = this.#client;
    if (!this.#options.ownsClient || !isOpen) return;
    // A close waits for answers, which do not come without a connection.
    if (isReady) await this.#client.close();
    else this.#client.destroy();
  }

  get #index(): string {
    return `${this.#options.prefix}:keys`;
  }

  get #channel(): string {
    return `${this.#options.prefix}:leases`;
  }

  #value(key: string): string {
    return `${this.#options.prefix}:value:${key}`;
  }

  #log(log: string): string {
    return `${this.#options.prefix}:log:${log}`;
  }

  #lease(name: string): string {
    return `${this.#options.prefix}:lease:${name}`;
  }

  #write(
    name: "append" | "deleteLog",
    log: string,
    claim: LeaseClaim | undefined,
    values: readonly Argument[] = [],
  ): Promise<number> {
    // A write that no lease protects names its own log a second time, since the script wants two keys.
    const lease = claim ? this.#lease(claim.name) : this.#log(log);
    return this.#run<number>(name, [this.#log(log), lease], [claim?.token ?? "", ...values]);
  }

  async #send<Reply>(command: Argument[]): Promise<Reply> {
    await this.#prepare();
    return this.#inTime(
      this.#client.sendCommand<Reply>(command, {
        typeMapping: BYTES,
        ...(!this.#client.isReady && { timeout: RECONNECT_MS }),
      }),
    );
  }

  async #inTime<Reply>(answer: Promise<Reply>): Promise<Reply> {
    if (!this.#options.ownsClient) return answer;
    const timer = setTimeout(() => this.#drop(), ANSWER_MS);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Rejects everything that waits for an answer; the next use connects anew. */
  #drop(): void {
    this.#prepared = undefined;
    if (this.#client.isOpen) this.#client.destroy();
  }

  async #run<Reply = number>(
    name: keyof typeof scripts,
    keys: readonly string[],
    values: readonly Argument[],
  ): Promise<Reply> {
    const call = async (): Promise<Reply> => {
      const digest = await this.#load(name);
      return this.#send<Reply>(["EVALSHA", digest, `${keys.length}`, ...keys, ...values]);
    };
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      // The server was restarted, or its scripts were flushed: nothing has run.
      this.#digests.delete(name);
      return call();
    }
  }

  #load(name: keyof typeof scripts): Promise<string> {
    const known = this.#digests.get(name);
    if (known) return known;
    const loading = this.#send<Buffer>(["SCRIPT", "LOAD", scripts[name]]).then(String);
    loading.catch(() => this.#digests.delete(name));
    this.#digests.set(name, loading);
    return loading;
  }

  #prepare(): Promise<void> {
    const preparing = (this.#prepared ??= this.#connect());
    preparing.catch(() => (this.#prepared = undefined));
    return preparing;
  }

  async #connect(): Promise<void> {
    if (!this.#client.isOpen) await this.#inTime(this.#client.connect()).catch(unreachable);
    if (!this.#options.checksServer) return;
    const settings = await Promise.all(
      ["appendonly", "appendfsync", "maxmemory", "maxmemory-policy"].map(async (name) => {
        const question = this.#client.sendCommand<string[]>(["CONFIG", "GET", name]);
        const reply = await this.#inTime(question).catch((error: unknown) => {
          // A refusal, and not the end of the connection.
          if (this.#client.isReady) return [];
          throw error;
        });
        return [name, pairOf(reply)] as const;
      }),
    );
    checkServer(
      Object.fromEntries(
        settings.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
    );
  }
}

function unreachable(cause: unknown): never {
  throw new RobotaError("The Redis server can't be reached.", {
    code: "IO",
    category: "system",
    recoverable: true,
    cause,
    hint: "Check its address and password, and whether it runs; the next use tries again.",
  });
}

/** The value of a setting: the second item of a list by RESP2, a member by RESP3. */
function pairOf(reply: unknown): string | undefined {
  const values = Array.isArray(reply)
    ? reply
    : reply instanceof Map
      ? [...reply].flat()
      : Object.entries(reply ?? {}).flat();
  return values.length > 1 ? String(values[1]) : undefined;
}

/** A view of the same memory, as the driver wants it. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A plain array, whose memory is nobody else's. */
function bytesOf(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer);
}
