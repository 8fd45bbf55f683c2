import { ConfigurationError } from "@robota/runtime";
import {
  differentRequest,
  HttpProblem,
  httpTransport,
  isAnonymousOwner,
  problemResponse,
  type SessionHost,
  tooManySessions,
} from "@robota/runtime/transports";
import { ANONYMOUS } from "./anonymous.ts";
import type { Environment } from "./environment.ts";
import { execute, EXECUTOR_PATH } from "./executor.ts";
import type { SessionDirectory } from "./session-directory.ts";
import type { SessionObject } from "./session-object.ts";

const SESSIONS_PER_OWNER = 20;
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** A request handler, with the signature of a worker's `fetch`. */
export interface App {
  fetch(request: Request): Promise<Response>;
}

/**
 * The worker's front: authenticates callers and passes each request on to the object of its session. It is stateless. A
 * worker without configured callers answers nobody, and says what it needs.
 */
export function createApp(env: Environment): App {
  try {
    const access = { tokens: tokensOf(env), allowedOrigins: listOf(env.ALLOWED_ORIGINS) };
    const isOpen = env.ALLOW_ANONYMOUS_OFFLINE === "1";
    const hosts = listOf(env.ALLOWED_HOSTS);
    // Callers without a token could be a page whose name was rebound to this machine.
    const allowedHosts = hosts.length === 0 && isOpen ? LOCAL_HOSTS : hosts;
    const transport = httpTransport({
      sessions: durableSessions(env),
      ...access,
      anonymousOwner: isOpen ? ANONYMOUS : undefined,
      allowedHosts: allowedHosts.length > 0 ? allowedHosts : undefined,
      // Set by Cloudflare, whatever the client sends.
      clientAddress: ({ headers }) => headers.get("cf-connecting-ip") ?? undefined,
    });
    const hasTokens = Object.keys(access.tokens).length > 0;
    return {
      fetch: async (request) =>
        hasTokens && new URL(request.url).pathname === EXECUTOR_PATH
          ? execute(request, env, access)
          : transport.fetch(request),
    };
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause;
    const problem = new HttpProblem(503, "NOT_CONFIGURED", cause.message, {
      hint: "Set the secret API_TOKEN (wrangler secret put API_TOKEN), or ALLOW_ANONYMOUS_OFFLINE=1 to let everybody in on the offline provider.",
      cause,
    });
    return { fetch: async () => problemResponse(problem) };
  }
}

/** Each session in an object of its own, each owner's list in another. An object's name has its owner in it. */
function durableSessions(env: Environment): SessionHost {
  const { SESSIONS, DIRECTORIES } = env;
  const session = (owner: string, id: string): DurableObjectStub<SessionObject> =>
    SESSIONS.get(SESSIONS.idFromName(`${owner}/${id}`));
  const directory = (owner: string): DurableObjectStub<SessionDirectory> =>
    DIRECTORIES.get(DIRECTORIES.idFromName(owner));
  const limit = Number(env.SESSIONS_PER_OWNER ?? SESSIONS_PER_OWNER);

  return {
    async create(owner, { id, fingerprint, name, permissionMode, address }) {
      const reservation = await directory(owner).reserve(id, fingerprint, limit);
      if (reservation === "different") throw differentRequest();
      if (reservation === "full") throw tooManySessions(limit);
      // Anonymous callers can have as many tokens as they like, but not as many addresses.
      const countedIn = isAnonymousOwner(ANONYMOUS, owner) ? networkOf(address) : undefined;
      if (
        countedIn !== undefined &&
        (await directory(countedIn).reserve(id, fingerprint, limit)) === "full"
      ) {
        await directory(owner).remove(id);
        throw tooManySessions(limit);
      }
      const createdAt = new Date().toISOString();
      // Also for a known one: the request that reserved it may have died before this.
      await session(owner, id).create(
        {
          id,
          owner,
          createdAt,
          ...(permissionMode === undefined ? {} : { permissionMode }),
          ...(countedIn === undefined ? {} : { countedIn }),
        },
        name,
      );
    },

    list: (owner) => directory(owner).list(),

    async open(owner, id) {
      return { fetch: (request) => session(owner, id).fetch(withoutCredentials(request)) };
    },

    async delete(owner, id) {
      const gone = await session(owner, id).destroy();
      await directory(owner).remove(id);
      if (gone?.countedIn !== undefined) await directory(gone.countedIn).remove(id);
      return gone !== undefined;
    },
  };
}

/** The directory of an address, a name that no owner can have. One IPv6 network counts as one address. */
function networkOf(address = "unknown"): string {
  if (!address.includes(":")) return `@${address}`;
  const [head = "", tail] = address.toLowerCase().split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array.from({ length: zeros }, () => "0"), ...last];
  return `@${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}`;
}

/** Nothing behind the front needs the caller's token. */
function withoutCredentials(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  return new Request(request, { headers });
}

function tokensOf({ API_TOKEN, API_TOKENS }: Environment): Record<string, string> {
  const tokens = API_TOKENS ? parseTokens(API_TOKENS) : {};
  if (API_TOKEN) tokens["owner"] = API_TOKEN;
  const taken = Object.keys(tokens).find((owner) => isAnonymousOwner(ANONYMOUS, owner));
  if (taken !== undefined) {
    throw new ConfigurationError(`API_TOKENS has an owner "${taken}"`, {
      hint: "That name is for callers without a token; take another one.",
    });
  }
  return tokens;
}

function parseTokens(text: string): Record<string, string> {
  const hint = 'Write it like {"ann":"<token>","bob":"<token>"}.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError("API_TOKENS is not valid JSON", { hint, cause });
  }
  const isTable =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((token) => typeof token === "string");
  if (!isTable) throw new ConfigurationError("API_TOKENS is not a JSON object of tokens", { hint });
  return { ...(value as Record<string, string>) };
}

function listOf(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
