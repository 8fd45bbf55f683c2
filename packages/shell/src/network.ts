import { RobotaError, type AccessRules, type PinnedFetch } from "@robota/runtime/ports";
import {
  EgressError,
  type GuardedResponse,
  guardedFetch,
  checkDestination,
  type EgressPolicy,
} from "@robota/runtime/network";

/** A request of a program, serialisable to another thread or process. */
export interface FetchRequest {
  url: string;
  method: string;
  headers: [string, string][];
  body: ArrayBuffer | undefined;
  /** True to follow redirects; otherwise they are the response. */
  follows: boolean;
}

export interface FetchResponse {
  /** The final URL of the response. */
  url: string;
  status: number;
  statusText: string;
  headers: [string, string][];
  body: ArrayBuffer;
}

/** The fetch function of a program for one run. Rejects with a message for a person. */
export type RunFetch = (request: FetchRequest, signal?: AbortSignal) => Promise<FetchResponse>;

/** The network of one run, with refused addresses already unreachable. */
export interface RunNetwork {
  curl?: RunFetch | undefined;
  git?: RunFetch | undefined;
}

/** The options for the network of a run. */
export interface NetworkOptions {
  fetch?: typeof globalThis.fetch | undefined;
  pinnedFetch?: PinnedFetch | undefined;
  gitFetch?: typeof globalThis.fetch | undefined;
  gitPinnedFetch?: PinnedFetch | undefined;
  corsProxy?: string | undefined;
  policy?: EgressPolicy | undefined;
}

/** Timeout as long as the longest command's; a program's own limit and the end of its run come first. */
const TIMEOUT_MS = 600_000;

/** Creates the network of a run, under the shell's policy and the rules of this run. */
export function createRunNetwork(options: NetworkOptions, rules?: AccessRules): RunNetwork {
  const { fetch, pinnedFetch, gitFetch, gitPinnedFetch, corsProxy, policy } = options;
  const forGit = judgedBehind(corsProxy, policy, rules);
  return {
    curl: fetch && guarded({ fetch, pinnedFetch }, judged(policy, rules)),
    git: gitFetch && guarded({ fetch: gitFetch, pinnedFetch: gitPinnedFetch }, forGit),
  };
}

interface Requests {
  fetch: typeof globalThis.fetch;
  pinnedFetch: PinnedFetch | undefined;
}

function guarded({ fetch, pinnedFetch }: Requests, policy: EgressPolicy): RunFetch {
  return async ({ url, method, headers, body, follows }, signal) => {
    try {
      const response = await guardedFetch(
        url,
        { method, headers, body },
        {
          fetch,
          pinnedFetch,
          policy,
          followsRedirects: follows,
          maxBytes: Number.POSITIVE_INFINITY,
          timeoutMs: TIMEOUT_MS,
          signal,
        },
      );
      return await wholeAnswer(response);
    } catch (error) {
      throw error instanceof RobotaError ? explained(error) : error;
    }
  };
}

async function wholeAnswer(response: GuardedResponse): Promise<FetchResponse> {
  const { url, status, statusText, headers } = response;
  const { buffer } = await response.bytes();
  return { url, status, statusText, headers: [...headers], body: buffer };
}

/** Rewrites an error to the wording by which `curl` recognises a failed connection. */
function explained(error: RobotaError): Error {
  const { message, hint } = error;
  const isRefused = error instanceof EgressError && error.code === "EGRESS_REFUSED";
  const words = hint === "" ? message : `${message.replace(/\.$/, "")}. ${hint}`;
  return new Error(isRefused ? `Network access denied: ${words}` : words, { cause: error });
}

function judged(policy: EgressPolicy = {}, rules?: AccessRules): EgressPolicy {
  return {
    ...policy,
    refuses: (url) => policy.refuses?.(url) ?? rules?.refusesAddress?.(url.href),
  };
}

/**
 * Allows the proxy any address, since a person configured it; the address behind it is judged like a direct request.
 */
function judgedBehind(
  corsProxy: string | undefined,
  policy: EgressPolicy = {},
  rules?: AccessRules,
): EgressPolicy {
  const direct = judged(policy, rules);
  const proxy = corsProxy === undefined ? null : URL.parse(corsProxy);
  if (corsProxy === undefined || !proxy) return direct;
  return {
    ...direct,
    allowPrivateOrigins: [...(policy.allowPrivateOrigins ?? []), proxy.origin],
    refuses(url) {
      const reason = direct.refuses?.(url);
      if (reason !== undefined || url.origin !== proxy.origin) return reason;
      const targets = behind(url.href, corsProxy);
      if (targets.length === 0)
        return `${url.host} is a proxy, and the URL names no target behind it.`;
      return refusalOfAll(targets, direct);
    },
  };
}

/**
 * The addresses that a proxy may request: its path omits the scheme, so http and https. Nested proxies are unwrapped.
 */
function behind(url: string, corsProxy: string): string[] {
  const prefix = new URL(corsProxy.endsWith("?") ? corsProxy : `${corsProxy}/`).href;
  let target = url;
  while (target.startsWith(prefix)) {
    const rest = target.slice(prefix.length).replace(/^https?:\/*/i, "");
    target = `${new URL(prefix).protocol}//${rest}`;
  }
  if (target === url) return [];
  const address = target.replace(/^https?:\/\//, "");
  return [`https://${address}`, `http://${address}`];
}

function refusalOfAll(targets: readonly string[], policy: EgressPolicy): string | undefined {
  let reason: string | undefined;
  for (const target of targets) {
    try {
      checkDestination(target, policy);
      return undefined;
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      reason ??= error.message;
    }
  }
  return reason;
}
