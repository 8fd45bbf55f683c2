import { ConfigurationError } from "@robota/runtime";
import {
  differentRequest,
  httpTransport,
  isAnonymousOwner,
  problemResponse,
  type SessionHost,
  type Token,
  tooManySessions,
} from "@robota/runtime/transports";
import { ANONYMOUS } from "./anonymous.ts";
import type { Environment } from "./environment.ts";
import { execute, EXECUTOR_PATH } from "./executor.ts";
import type { SessionDirectory } from "./session-directory.ts";
import type { SessionObject } from "./session-object.ts";
import { asNotConfigured, notConfigured } from "./not-configured.ts";
import { listOf, readOperatorSettings } from "./settings.ts";
import { tokensOf } from "./tokens.ts";
import { countingDirectory } from "./usage.ts";

const MIN_SECRET = 32;
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
  return { fetch: (request) => answer(request, env) };
}

async function answer(request: Request, env: Environment): Promise<Response> {
  try {
    const settings = await readOperatorSettings(env);
    const access = { tokens: tokensOf(env), allowedOrigins: listOf(env.ALLOWED_ORIGINS) };
    const isOpen = env.ALLOW_ANONYMOUS_OFFLINE === "1";
    const hosts = listOf(env.ALLOWED_HOSTS);
    // Callers without a token could be a page whose name was rebound to this machine.
    const allowedHosts = hosts.length === 0 && isOpen ? LOCAL_HOSTS : hosts;
    const transport = httpTransport({
      sessions: durableSessions(env, settings.sessionsPerOwner),
      limits: { bodyBytes: settings.bodyBytes, logBytes: settings.logBytes },
      permissionModes: settings.permissionModes,
      countRequest: async (owner, { spends, address }) =>
        countingDirectory(env.DIRECTORIES, { owner, countedIn: networkOf(address) }).countRequest(
          settings.usage,
          spends,
        ),
      // One line of JSON, for the worker's log.
      onRequest:
        env.NO_REQUEST_LOG === "1" ? undefined : (record) => console.log(JSON.stringify(record)),
      ...access,
      ticketSecret: ticketSecretOf(env),
      anonymousOwner: isOpen ? ANONYMOUS : undefined,
      allowedHosts: allowedHosts.length > 0 ? allowedHosts : undefined,
      // Set by Cloudflare, whatever the client sends.
      clientAddress: ({ headers }) => headers.get("cf-connecting-ip") ?? undefined,
    });
    const hasTokens = Object.keys(access.tokens).length > 0;
    if (hasTokens && new URL(request.url).pathname === EXECUTOR_PATH)
      return await execute(request, env, access);
    let switched: Response | undefined;
    const response = await transport.fetch(request, { switched: (opened) => (switched = opened) });
    return switched ?? response;
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause;
    const hint = isOpened(env)
      ? cause.hint
      : "Set the secret API_TOKEN (wrangler secret put API_TOKEN), or ALLOW_ANONYMOUS_OFFLINE=1 to admit anonymous callers with the offline provider.";
    return problemResponse(notConfigured({ message: cause.message, hint }));
  }
}

/** Each session in an object of its own, each owner's list in another. An object's name has its owner in it. */
function durableSessions(env: Environment, limit: number): SessionHost {
  const { SESSIONS, DIRECTORIES } = env;
  const session = (owner: string, id: string): DurableObjectStub<SessionObject> =>
    SESSIONS.get(SESSIONS.idFromName(`${owner}/${id}`));
  const directory = (owner: string): DurableObjectStub<SessionDirectory> =>
    DIRECTORIES.get(DIRECTORIES.idFromName(owner));

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
      const made = session(owner, id).create(
        {
          id,
          owner,
          createdAt,
          permissionMode,
          countedIn,
        },
        name,
      );
      await made.catch(async (error: unknown) => {
        const problem = asNotConfigured(error);
        if (!problem) throw error;
        for (const name of [owner, ...(countedIn === undefined ? [] : [countedIn])])
          await directory(name).remove(id);
        throw problem;
      });
    },

    list: (owner) => directory(owner).list(),

    async open(owner, id) {
      return { fetch: (request) => session(owner, id).fetch(request) };
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

/** Reports whether somebody was meant to be let in, so that something else is wrong. */
function isOpened({ API_TOKEN, API_TOKENS, ALLOW_ANONYMOUS_OFFLINE }: Environment): boolean {
  return Boolean(API_TOKEN || API_TOKENS || ALLOW_ANONYMOUS_OFFLINE === "1");
}

/** From tokens that could be guessed, no secret is made: whoever has a ticket could try them out in private. */
function ticketSecretOf(env: Environment): string | null {
  if (env.TICKET_SECRET) return env.TICKET_SECRET;
  const tokens = Object.values(tokensOf(env)).flat();
  const isGuessable = tokens.some((token) => textOf(token).length < MIN_SECRET);
  return tokens.length === 0 || isGuessable ? null : JSON.stringify(tokens.map(textOf));
}

function textOf(token: Token): string {
  return typeof token === "string" ? token : token.token;
}
