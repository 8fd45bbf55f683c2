import type {
  FetchLike,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { defined } from "../defined.ts";
import { RobotaError } from "../errors.ts";
import type { Storage } from "../ports/storage.ts";
import type { McpAuthorization, McpClientCredentials } from "./authorization-options.ts";

/** Attempts to satisfy one request, each with wider scopes. */
const MAX_ATTEMPTS = 3;

export interface AuthorizedFetchOptions {
  server: string;
  url: string;
  fetch: FetchLike;
  /** Where tokens are kept; the host's storage, and never a log. */
  storage: Storage;
  storageKey: string;
  credentials?: McpClientCredentials | undefined;
  authorization: McpAuthorization | undefined;
  /** The attempt that a person asked for, who may be shown a page now; `undefined` at other times. */
  person: () => { signal: AbortSignal } | undefined;
}

/** A server's authorization as it is stored. */
interface Kept {
  tokens?: StoredOAuthTokens;
  client?: StoredOAuthClientInformation;
  /** Scopes that a request needed while nobody was there to grant them. */
  wanted?: string;
}

/** `fetch` with the server's tokens: refreshed by itself, and obtained with a person's help when one asked for it. */
export function authorizedFetch(options: AuthorizedFetchOptions): FetchLike {
  const keeper = new TokenKeeper(options);
  let authorizing: Promise<void> | undefined;
  const once = (begin: () => Promise<void>): Promise<void> =>
    (authorizing ??= begin().finally(() => (authorizing = undefined)));
  return async (address, init) => {
    for (let attempt = 1; ; attempt += 1) {
      const wanted = options.person() ? await keeper.wanted() : undefined;
      if (wanted !== undefined)
        await once(() => authorize(options, keeper, 403, { scope: wanted }));
      const headers = new Headers(init?.headers);
      const used = (await keeper.tokens())?.access_token;
      if (used !== undefined) headers.set("authorization", `Bearer ${used}`);
      const response = await options.fetch(address, { ...init, headers });
      const isRefused = response.status === 401 || response.status === 403;
      if (!isRefused || attempt > MAX_ATTEMPTS) return response;
      const { extractWWWAuthenticateParams } = await import("./sdk.ts");
      const challenge = extractWWWAuthenticateParams(response);
      if (response.status === 403 && challenge.error !== "insufficient_scope") return response;
      await response.body?.cancel();
      // Another request, or another session, may have been refused and have new tokens by now.
      if ((await keeper.tokens())?.access_token !== used) continue;
      if ((await keeper.storedTokens())?.access_token !== used) continue;
      await once(() => authorize(options, keeper, response.status, challenge));
    }
  };
}

interface Challenge {
  resourceMetadataUrl?: URL | undefined;
  scope?: string | undefined;
}

async function authorize(
  { url, fetch: fetchFn, credentials }: AuthorizedFetchOptions,
  keeper: TokenKeeper,
  status: number,
  { resourceMetadataUrl, scope: challenged }: Challenge,
): Promise<void> {
  const { auth, computeScopeUnion, isStrictScopeSuperset } = await import("./sdk.ts");
  const granted = (await keeper.tokens())?.scope;
  const wanted = credentials?.scope ?? challenged;
  const scope = status === 403 ? computeScopeUnion(granted, wanted) : wanted;
  const isWider = isStrictScopeSuperset(scope, granted);
  await keeper.requireHope(isWider ? scope : undefined);
  // The server may have moved to another authorization server since.
  if (status === 401) await keeper.invalidateCredentials("discovery");
  const asked = defined({ serverUrl: url, fetchFn, resourceMetadataUrl, scope });
  const result = await auth(keeper, {
    ...asked,
    // A refresh can't widen what was granted.
    forceReauthorization: isWider,
  });
  if (result === "AUTHORIZED") return;
  await auth(keeper, { ...asked, ...keeper.takeAnswer() });
}

/** The client's side of OAuth for one server. */
class TokenKeeper implements OAuthClientProvider {
  readonly #options: AuthorizedFetchOptions;
  #kept: Promise<Kept> | undefined;
  #verifier = "";
  #state = "";
  #discovery: OAuthDiscoveryState | undefined;
  #answer: { authorizationCode: string; iss?: string } | undefined;
  readonly clientMetadataUrl?: string;

  constructor(options: AuthorizedFetchOptions) {
    this.#options = options;
    const { clientMetadataUrl } = options.authorization ?? {};
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  get redirectUrl(): string | undefined {
    return this.#options.authorization?.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { authorization, credentials } = this.#options;
    return {
      client_name: authorization?.clientName ?? "robota",
      redirect_uris: authorization ? [authorization.redirectUrl] : [],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: credentials?.scope,
    };
  }

  state(): string {
    this.#state = crypto.randomUUID();
    return this.#state;
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { clientId, clientSecret } = this.#options.credentials ?? {};
    if (clientId === undefined) return (await this.#load()).client;
    return { client_id: clientId, client_secret: clientSecret };
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.#save({ client });
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    return (await this.#load()).tokens;
  }

  /** The tokens as they are stored: a refresh by another session makes those that were read before worthless. */
  async storedTokens(): Promise<StoredOAuthTokens | undefined> {
    this.#kept = undefined;
    return this.tokens();
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    const { wanted: _, ...kept } = await this.#load();
    this.#kept = Promise.resolve(kept);
    await this.#save({ tokens });
  }

  /**
   * Keeps `wider` scopes for when a person is there.
   * @throws {RobotaError} `MCP_AUTHORIZATION` when neither a refresh nor a person can give tokens now
   */
  async requireHope(wider: string | undefined): Promise<void> {
    const { server, authorization, person } = this.#options;
    const canRefresh = wider === undefined && (await this.tokens())?.refresh_token !== undefined;
    if (authorization && (canRefresh || person())) return;
    if (wider !== undefined) await this.#save({ wanted: wider });
    throw unauthorized(server, authorization !== undefined);
  }

  async wanted(): Promise<string | undefined> {
    return (await this.#load()).wanted;
  }

  /** @throws {RobotaError} `MCP_AUTHORIZATION` unless a person asked for it, and came back with a yes */
  async redirectToAuthorization(url: URL): Promise<void> {
    const { server, authorization, person } = this.#options;
    const asking = person();
    if (!asking || !authorization) throw unauthorized(server, authorization !== undefined);
    if (!/^https?:$/.test(url.protocol))
      throw refused(server, "its authorization page is not at an http or https address");
    const { signal } = asking;
    const back = new URL(await authorization.authorize({ server, url, signal }));
    const { searchParams } = back;
    const code = searchParams.get("code");
    if (searchParams.get("state") !== this.#state)
      throw refused(server, "the answer is for another request");
    if (code === null) throw refused(server, searchParams.get("error") ?? "there is no code");
    const iss = searchParams.get("iss");
    this.#answer = defined({ authorizationCode: code, iss: iss ?? undefined });
  }

  /** The person's answer, for one use. @throws {RobotaError} `MCP_AUTHORIZATION` without one */
  takeAnswer(): { authorizationCode: string; iss?: string } {
    const answer = this.#answer;
    this.#answer = undefined;
    if (!answer) throw refused(this.#options.server, "there is no answer");
    return answer;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  async invalidateCredentials(
    what: "all" | "client" | "tokens" | "verifier" | "discovery",
  ): Promise<void> {
    if (what === "all" || what === "discovery") this.#discovery = undefined;
    if (what === "all" || what === "verifier") this.#verifier = "";
    const { tokens, client } = await this.#load();
    // Another session was faster with the same refresh: its tokens are good.
    if (what === "tokens" && (await this.storedTokens())?.refresh_token !== tokens?.refresh_token)
      return;
    if (what === "tokens") this.#kept = Promise.resolve(defined({ client }));
    if (what === "client") this.#kept = Promise.resolve(defined({ tokens }));
    if (what === "all") this.#kept = Promise.resolve({});
    if (what !== "discovery" && what !== "verifier") await this.#save({});
  }

  #load(): Promise<Kept> {
    const { storage, storageKey } = this.#options;
    this.#kept ??= storage.get(storageKey).then(keptIn);
    return this.#kept;
  }

  async #save(change: Kept): Promise<void> {
    const { storage, storageKey } = this.#options;
    const kept = { ...(await this.#load()), ...change };
    this.#kept = Promise.resolve(kept);
    await storage.set(storageKey, new TextEncoder().encode(JSON.stringify(kept)));
  }
}

/** An unreadable record counts as none. */
function keptIn(bytes: Uint8Array | undefined): Kept {
  if (!bytes) return {};
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Kept;
  } catch {
    return {};
  }
}

function unauthorized(server: string, canBe: boolean): RobotaError {
  return new RobotaError(`The MCP server ${server} wants to know who asks`, {
    code: "MCP_AUTHORIZATION",
    category: "user",
    recoverable: true,
    hint: canBe
      ? `Run /mcp authorize ${server}.`
      : `Give its key as a header, or the session the option mcp.authorization.`,
  });
}

function refused(server: string, reason: string): RobotaError {
  return new RobotaError(`The MCP server ${server} was not authorized: ${reason}`, {
    code: "MCP_AUTHORIZATION",
    category: "user",
    recoverable: true,
    hint: `Run /mcp authorize ${server} again.`,
  });
}
