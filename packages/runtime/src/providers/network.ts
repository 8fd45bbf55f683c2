import { NetworkError, type ProviderErrorFacts } from "../errors.ts";

/** Facts about a web page's origin; absent in Node and in edge workers. */
export interface PageFacts {
  origin: string;
  online: boolean;
  /** The browser's permission for the page to reach this machine or its network; `undefined` when unknown. */
  localAccess?: string | undefined;
}

export interface NetworkFailure {
  provider: string;
  url: string;
  /** The error of `fetch`. */
  cause: unknown;
  page?: PageFacts | undefined;
}

/**
 * The error for a request without an answer, with the likely reason. A browser tells a page only that a request failed,
 * so the reason is inferred from the page's own facts, and reported as likely.
 */
export function networkError({ provider, url, cause, page }: NetworkFailure): NetworkError {
  const host = hostOf(url);
  const [problem, hint] = page ? pageReason(host, url, page) : hostReason(host, cause);
  return new NetworkError(`${provider} could not be reached: ${problem}`, {
    provider,
    cause,
    hint,
  });
}

/** The stream ended before the answer did. */
export function cutError(provider: string, cause: unknown): NetworkError {
  const facts: ProviderErrorFacts = { provider, hint: "Try again; what had arrived is kept." };
  if (cause !== undefined) facts.cause = cause;
  return new NetworkError(`${provider}'s answer was cut off before its end`, facts);
}

/** The error for a silent connection. */
export function silenceError(provider: string, idleTimeoutMs: number): NetworkError {
  return new NetworkError(
    `${provider} sent nothing for ${Math.round(idleTimeoutMs / 100) / 10} s`,
    {
      provider,
      hint: "Try again, or allow a longer silence with `idleTimeoutMs`: large prompts on local models take time.",
    },
  );
}

/** The used globals of pages and their workers. */
interface PageGlobals {
  location?: { origin?: string };
  navigator?: {
    onLine?: boolean;
    permissions?: { query?(descriptor: { name: string }): Promise<{ state: string }> };
  };
}

/** Read when a request to `url` has failed, from globals that only pages and their workers have. */
export async function currentPage(url: string): Promise<PageFacts | undefined> {
  const { location, navigator } = globalThis as PageGlobals;
  if (!location?.origin) return undefined;
  const page = { origin: location.origin, online: navigator?.onLine !== false };
  const names = localPermissions(hostOf(url));
  return { ...page, localAccess: await permission(navigator?.permissions, names) };
}

/** Permission names for reaching a host; newer names first. */
function localPermissions(host: string): string[] {
  if (isLoopback(host)) return ["loopback-network", "local-network-access"];
  return isPrivate(host) ? ["local-network", "local-network-access"] : [];
}

async function permission(
  permissions: NonNullable<PageGlobals["navigator"]>["permissions"],
  names: readonly string[],
): Promise<string | undefined> {
  for (const name of names) {
    try {
      const state = (await permissions?.query?.({ name }))?.state;
      if (state !== undefined) return state;
    } catch {
      // The browser does not know this permission.
    }
  }
  return undefined;
}

function pageReason(host: string, url: string, page: PageFacts): [problem: string, hint: string] {
  const local = isLoopback(host);
  if (page.localAccess === "denied") {
    return [
      `this page may not reach ${local ? "programs on this machine" : "the local network"}`,
      `Allow it in the browser's settings for ${page.origin} (beside the address: local network access), and reload the page.`,
    ];
  }
  if (!page.online && !local) {
    return ["this device is offline", "Connect to the network and try again."];
  }
  if (page.origin.startsWith("https:") && url.startsWith("http:") && !local) {
    return [
      `a page over https may not call http://${host}`,
      "Use an https address, or open this page over http.",
    ];
  }
  if (local) {
    return [
      `likely nothing runs at ${host}, or it does not allow this page`,
      `Start the server, let it allow the origin ${page.origin} (Ollama: OLLAMA_ORIGINS=${page.origin} ollama serve; ` +
        `LM Studio: lms server start --cors; llama.cpp: --cors-origins ${page.origin}), and allow this page access ` +
        "to the local network when the browser asks.",
    ];
  }
  return [
    `likely ${host} does not answer pages of ${page.origin} (CORS), or the address is wrong`,
    `Check the base URL. The server must send Access-Control-Allow-Origin for ${page.origin}; otherwise go through ` +
      "a server or worker of your own.",
  ];
}

const REASONS: readonly [code: RegExp, problem: string, hint: string][] = [
  [
    /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/,
    "its name does not resolve",
    "Check the base URL and the network.",
  ],
  [/^ECONNREFUSED$/, "nothing listens there", "Start the server, or correct the base URL."],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "the connection was closed", "Try again."],
  [/TIMEDOUT|TIMEOUT/, "the connection timed out", "Check the network, a firewall or the proxy."],
  [
    /CERT|TLS|SSL|SIGNATURE|SIGNED/,
    "its certificate is not trusted",
    "Check the address, the clock and the proxy's certificate.",
  ],
];

function hostReason(host: string, cause: unknown): [problem: string, hint: string] {
  const code = errorCode(cause);
  for (const [pattern, problem, hint] of REASONS) {
    if (pattern.test(code)) return [`${host}: ${problem} (${code})`, hint];
  }
  const detail = code ? ` (${code})` : "";
  return [`no answer from ${host}${detail}`, "Check the base URL and the network."];
}

/** The system's code, wherever the layers above have put it. */
function errorCode(error: unknown): string {
  for (let depth = 0, next = error; next instanceof Error && depth < 8; depth += 1) {
    const { code } = next as { code?: unknown };
    if (typeof code === "string") return code;
    next = next instanceof AggregateError ? (next.errors[0] as unknown) : next.cause;
  }
  return "";
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, "");
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name.startsWith("127.") ||
    name === "[::1]"
  );
}

/** Addresses of networks at home and at work. */
function isPrivate(host: string): boolean {
  const name = host.replace(/:\d+$/, "");
  return (
    name.endsWith(".local") ||
    /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2,3}$/.test(name)
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
