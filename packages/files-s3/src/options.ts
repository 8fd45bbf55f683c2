import { ConfigurationError } from "@robota/runtime";
import { type OptionForms, requireOptions } from "@robota/runtime/ports";

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Token of temporary credentials. */
  sessionToken?: string | undefined;
}

export interface S3FileSystemOptions {
  /**
   * Address of the bucket: `https://bucket.s3.eu-central-1.amazonaws.com`, or with the bucket in the path, as
   * `https://account.r2.cloudflarestorage.com/bucket`.
   */
  bucketUrl: string;
  /** Folder of the bucket that holds these files and nothing else, such as `workspaces/7f3a`; letters, digits and `_.-/`. */
  prefix: string;
  /** Asked before each request when it is a function, for credentials that expire. */
  credentials: S3Credentials | (() => S3Credentials | Promise<S3Credentials>);
  /** `us-east-1` by default; `auto` for R2. */
  region?: string | undefined;
  /** Sends the signed requests; the host's `fetch` by default. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * Milliseconds for which what this process knows counts as current. 0 by default: each read asks the store whether another
   * process has changed something (one small request), and sees all that was written before. Writes never overlook a change.
   */
  maxStaleMs?: number | undefined;
  /** Bytes of files to keep in memory; 32 MiB by default. */
  cacheBytes?: number | undefined;
  /**
   * Milliseconds for which replaced and removed bytes stay in the bucket; a day by default, at least a second. A process
   * that was suspended for half of it reads the tree anew, so all processes of a prefix need the same value.
   */
  retentionMs?: number | undefined;
}

/** The options, complete and checked. */
export interface Settings {
  bucketUrl: string;
  prefix: string;
  credentials: () => S3Credentials | Promise<S3Credentials>;
  region: string;
  fetch: (request: Request) => Promise<Response>;
  maxStaleMs: number;
  cacheBytes: number;
  retentionMs: number;
}

const OPTIONS: OptionForms<S3FileSystemOptions> = {
  bucketUrl: "any",
  prefix: "any",
  credentials: "any",
  region: "string",
  fetch: "function",
  maxStaleMs: "any",
  cacheBytes: "any",
  retentionMs: "any",
};
const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const PREFIX = /^(?!\.)[\w.-]+(?:\/(?!\.)[\w.-]+)*$/;
const MAX_PREFIX = 512;

/** @throws {RobotaError} An option that is missing, misspelt or of another form. */
export function settingsOf(options: S3FileSystemOptions): Settings {
  requireOptions(options, OPTIONS);
  const { bucketUrl, prefix, credentials, region = "us-east-1" } = options;
  if (!isBucketUrl(bucketUrl)) {
    // Not shown: it may hold a key, or the signature of a request.
    throw new ConfigurationError("Not the address of a bucket: bucketUrl", {
      hint: "Name the bucket, such as https://bucket.s3.eu-central-1.amazonaws.com, without keys or a query.",
    });
  }
  if (typeof prefix !== "string" || prefix.length > MAX_PREFIX || !PREFIX.test(prefix)) {
    refuse(
      "prefix",
      prefix,
      "Name a folder by letters, digits, '_', '.' and '-', such as workspaces/7f3a.",
    );
  }
  // Not shown: it may hold a part of a key.
  if (typeof credentials !== "function" && !areCredentials(credentials)) {
    throw new ConfigurationError("Not credentials: credentials", {
      hint: "Pass { accessKeyId, secretAccessKey } without blanks, or a function that returns them.",
    });
  }
  return {
    bucketUrl: bucketUrl.replace(/\/$/, ""),
    prefix,
    credentials: typeof credentials === "function" ? credentials : () => credentials,
    region,
    fetch: options.fetch ?? ((request) => fetch(request)),
    maxStaleMs: numberOf("maxStaleMs", options.maxStaleMs ?? 0, 0),
    cacheBytes: numberOf("cacheBytes", options.cacheBytes ?? 32 * MIB, 0),
    retentionMs: numberOf("retentionMs", options.retentionMs ?? DAY_MS, 1_000),
  };
}

function isBucketUrl(url: unknown): boolean {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const { protocol, search, hash, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && search + hash + username + password === "";
}

/** Characters of keys. The platform's error for a header with others, such as a line break, would hold the key. */
const KEY = /^[\x21-\x7e]+$/;

/** Reports whether both keys are there, and can be sent. */
export function areCredentials(value: unknown): value is S3Credentials {
  if (typeof value !== "object" || value === null) return false;
  const { accessKeyId, secretAccessKey, sessionToken } = value as Record<string, unknown>;
  return isKey(accessKeyId) && isKey(secretAccessKey) && isOptionalKey(sessionToken);
}

/** Environments have an empty text for none. */
function isOptionalKey(value: unknown): boolean {
  return value === undefined || value === "" || isKey(value);
}

function isKey(value: unknown): boolean {
  return typeof value === "string" && KEY.test(value);
}

function numberOf(name: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value;
  return refuse(name, value, `Pass a number of at least ${least}.`);
}

function refuse(name: string, value: unknown, hint: string): never {
  throw new ConfigurationError(`Not valid for ${name}: ${JSON.stringify(value)}`, { hint });
}
