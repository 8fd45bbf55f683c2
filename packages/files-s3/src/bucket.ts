import { decodeText } from "@robota/runtime/ports";
import { AwsClient } from "aws4fetch";
import { ask, type StoreAnswer } from "./ask.ts";
import { areCredentials, type Settings } from "./options.ts";
import { StoreFailure } from "./store-failure.ts";

/** Bytes `from` to `to`, the last one excluded. */
export interface ByteRange {
  from: number;
  to: number;
}

export interface StoredObject {
  /** Without the workspace's prefix. */
  key: string;
  /** Milliseconds since the epoch, by the store's clock. */
  modifiedMs: number;
}

const TRIES = 4;
const FIRST_WAIT_MS = 100;
/** Failures that pass, as the S3 documentation lists them: a store that is busy, or two writes of one key at once (409). */
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504]);
const HINTS = new Map([
  [301, "The bucket is in another region: check bucketUrl and region."],
  [400, "Check the region and the credentials."],
  [401, "Check the credentials."],
  [
    403,
    "Check the credentials, and whether they may read, write, list and delete below the prefix.",
  ],
  [
    501,
    "The store has no conditional writes (If-None-Match), which keep two processes apart: choose another.",
  ],
  [404, "Create the bucket, or check bucketUrl."],
]);

/** The objects below a prefix. A request that fails in passing is repeated with back-off. */
export class Bucket {
  readonly #settings: Settings;
  /** Keys derived for signing, which last a day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The bytes, or fewer at the end of the object; `undefined` when it is not there. */
  async get(key: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const headers = range && { range: `bytes=${range.from}-${range.to - 1}` };
    const answer = await this.#send("GET", this.#urlOf(key), headers && { headers });
    if (answer.status === 404 && reasonOf(answer) !== "NoSuchBucket") return undefined;
    if (answer.status === 416) return new Uint8Array();
    check(answer);
    return answer.bytes;
  }

  /**
   * Stores an object under a new key, atomically. `taken` when there is one already; `unsure` when one was there after a
   * request that may have been carried out.
   */
  async create(
    key: string,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<"created" | "taken" | "unsure"> {
    let isUnsure = false;
    const answer = await this.#send(
      "PUT",
      this.#urlOf(key),
      { body, headers: { "if-none-match": "*" } },
      () => (isUnsure = true),
    );
    if (answer.status === 412) return isUnsure ? "unsure" : "taken";
    check(answer);
    return "created";
  }

  /** Stores an object, also in the place of another. */
  async put(key: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
    check(await this.#send("PUT", this.#urlOf(key), { body }));
  }

  async delete(key: string): Promise<void> {
    check(await this.#send("DELETE", this.#urlOf(key)));
  }

  /** Every object whose key begins with `prefix` and is greater than `after`, in order. */
  async list(prefix: string, after?: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for (let token: string | undefined, isLast = false; !isLast;) {
      const query = new URLSearchParams({ "list-type": "2", prefix: this.#keyOf(prefix) });
      if (token !== undefined) query.set("continuation-token", token);
      else if (after !== undefined) query.set("start-after", this.#keyOf(after));
      const answer = await this.#send("GET", `${this.#settings.bucketUrl}/?${query}`);
      check(answer);
      const text = decodeText(answer.bytes);
      for (const [, item = ""] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const key = elementOf(item, "Key")?.slice(this.#settings.prefix.length + 1);
        const modified = elementOf(item, "LastModified");
        if (key && modified) found.push({ key, modifiedMs: Date.parse(modified) });
      }
      token = elementOf(text, "NextContinuationToken")?.replaceAll("&amp;", "&");
      isLast = token === undefined;
    }
    return found;
  }

  #keyOf(name: string): string {
    return `${this.#settings.prefix}/${name}`;
  }

  #urlOf(key: string): string {
    return `${this.#settings.bucketUrl}/${this.#keyOf(key)}`;
  }

  async #send(
    method: string,
    url: string,
    init?: { body?: Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
    onUnsure?: () => void,
  ): Promise<StoreAnswer> {
    for (let tries = 1; ; tries++) {
      const request = await this.#sign(method, url, init);
      const asked = ask(this.#settings.fetch, request, init?.body?.length);
      const answer = await asked.catch((cause: unknown) => ({ cause }));
      if ("status" in answer && !PASSING.has(answer.status)) return answer;
      onUnsure?.();
      if (tries === TRIES) {
        if ("status" in answer) return answer;
        throw new StoreFailure("EIO", {
          cause: answer.cause,
          recoverable: true,
          hint: "The store could not be reached: check bucketUrl and the network, then try again.",
        });
      }
      await wait(FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random()));
    }
  }

  async #sign(method: string, url: string, init?: RequestInit): Promise<Request> {
    const { region, credentials } = this.#settings;
    const keys = await credentials();
    if (!areCredentials(keys)) {
      throw new StoreFailure("EACCES", {
        hint: "The function for credentials returned none: pass { accessKeyId, secretAccessKey }, without blanks.",
      });
    }
    const { accessKeyId, secretAccessKey, sessionToken } = keys;
    const client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: "s3",
      region,
      cache: this.#signingKeys,
    });
    return client.sign(url, { method, ...init });
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** @throws {StoreFailure} `EACCES` (refused), `ENOSPC` (a quota), `EIO` */
function check(answer: StoreAnswer): void {
  const isOk = answer.status >= 200 && answer.status < 300;
  if (!isOk) throw failure(answer.status, reasonOf(answer));
}

function failure(status: number, reason = ""): StoreFailure {
  const answer = `The store answered ${status} ${reason}`.trimEnd();
  const isQuota = status === 507 || reason === "QuotaExceeded";
  const code = isQuota ? "ENOSPC" : status === 401 || status === 403 ? "EACCES" : "EIO";
  return new StoreFailure(code, {
    cause: new Error(answer),
    recoverable: isQuota || PASSING.has(status),
    ...(!isQuota && { hint: HINTS.get(status) ?? `${answer}.` }),
  });
}

/** The code in the document of an error, such as `NoSuchKey`. */
function reasonOf({ bytes }: StoreAnswer): string | undefined {
  return elementOf(decodeText(bytes), "Code");
}

function elementOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(xml)?.[1];
}
