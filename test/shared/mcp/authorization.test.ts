import { withHost } from "#host";
import { InteractiveSession, type Platform } from "@robota/runtime";
import type { McpAuthorization } from "@robota/runtime/mcp";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { weather } from "../../support/mcp/weather-server.ts";

const ORIGIN = "https://mcp.example";
const TOKEN = "token-that-nobody-may-see";
const REFRESHED = "token-after-the-refresh";

/** A server that wants a token, with its authorization server, on one origin. */
function guarded() {
  const { fetch } = weather();
  const facts = { valid: TOKEN, grants: [] as string[], refreshes: 1, registrations: 0 };
  const network: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({ resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] });
    if (pathname.startsWith("/.well-known/oauth-authorization-server"))
      return Response.json({
        issuer: ORIGIN,
        authorization_endpoint: `${ORIGIN}/authorize`,
        token_endpoint: `${ORIGIN}/token`,
        registration_endpoint: `${ORIGIN}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (pathname === "/register") {
      facts.registrations += 1;
      return Response.json({ ...(await request.json()), client_id: "c1" }, { status: 201 });
    }
    if (pathname === "/token") {
      const asked = new URLSearchParams(await request.text());
      const grant = asked.get("grant_type") ?? "";
      facts.grants.push(grant);
      const isRefresh = grant === "refresh_token";
      // Good once, as with servers that notice stolen ones.
      if (isRefresh && asked.get("refresh_token") !== `r${facts.refreshes}`)
        return Response.json({ error: "invalid_grant" }, { status: 400 });
      if (isRefresh) facts.refreshes += 1;
      const access_token = isRefresh ? REFRESHED : TOKEN;
      facts.valid = access_token;
      const refresh_token = `r${facts.refreshes}`;
      return Response.json({ access_token, token_type: "Bearer", refresh_token });
    }
    if (pathname !== "/mcp") return new Response(null, { status: 404 });
    if (request.headers.get("authorization") === `Bearer ${facts.valid}`) return fetch(request);
    const challenge = `Bearer resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource"`;
    return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
  };
  return { facts, network };
}

/** The person's browser, which the authorization server sends back. */
function browser(changes: (back: URL) => void = () => undefined) {
  const pages: string[] = [];
  const authorization: McpAuthorization = {
    redirectUrl: "http://127.0.0.1:41830/callback",
    authorize: async ({ url }) => {
      pages.push(url.origin);
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", "abc");
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      changes(back);
      return back;
    },
  };
  return { pages, authorization };
}

function open(
  platform: Platform,
  cwd: string,
  network: typeof globalThis.fetch,
  authorization: McpAuthorization | undefined,
): InteractiveSession {
  return new InteractiveSession({
    platform: Object.assign(Object.create(platform) as Platform, {
      fetch: network,
      pinnedFetch: undefined,
    }),
    cwd,
    provider: new ScriptedProvider([
      { toolCalls: [{ name: "mcp__w__forecast", args: { city: "Bern" } }] },
      { text: "done" },
    ]),
    trackFiles: false,
    permissionMode: "bypassPermissions",
    mcpServers: { w: { url: `${ORIGIN}/mcp` } },
    mcp: { authorization },
  });
}

const stateOf = async (session: InteractiveSession): Promise<unknown> => {
  const servers = (await session.executeCommand("mcp"))?.data?.["servers"];
  return (servers as { state: string }[])[0]?.state;
};

it("authorizes at a server when a person asks for it, keeps the tokens, and refreshes them", () =>
  withHost(async ({ platform, cwd }) => {
    const { facts, network } = guarded();
    const { pages, authorization } = browser();
    const session = open(platform, cwd, network, authorization);
    // Nothing opens by itself.
    expect(await stateOf(session)).toBe("unauthorized");
    expect(pages).toEqual([]);
    expect(facts.registrations).toBe(0);
    expect(await session.executeCommand("mcp", "authorize w")).toMatchObject({ success: true });
    expect(pages).toEqual([ORIGIN]);
    expect(await stateOf(session)).toBe("connected");
    await session.submit("go");
    expect(JSON.stringify(session.getFullHistory())).toContain("12 °C in Bern");
    expect(JSON.stringify(session.getFullHistory())).not.toContain(TOKEN);
    await session.shutdown();
    facts.valid = "another";
    const later = open(platform, cwd, network, authorization);
    expect(await stateOf(later)).toBe("connected");
    expect(facts.grants).toEqual(["authorization_code", "refresh_token"]);
    expect(pages).toHaveLength(1);
    await later.shutdown();
  }));

it("takes the tokens that another session has refreshed", () =>
  withHost(async ({ platform, cwd }) => {
    const { facts, network } = guarded();
    const { pages, authorization } = browser();
    const one = open(platform, cwd, network, authorization);
    await one.executeCommand("mcp", "authorize w");
    const other = open(platform, cwd, network, authorization);
    expect(await stateOf(other)).toBe("connected");
    facts.valid = "another";
    await one.submit("go");
    await other.submit("go");
    for (const session of [one, other])
      expect(JSON.stringify(session.getFullHistory())).toContain("12 °C in Bern");
    expect(facts.grants).toEqual(["authorization_code", "refresh_token"]);
    expect(pages).toHaveLength(1);
    await one.shutdown();
    await other.shutdown();
  }));

it("takes no answer for another request, and none without a yes", () =>
  withHost(async ({ platform, cwd }) => {
    const { facts, network } = guarded();
    const wrong = [
      (back: URL) => back.searchParams.set("state", "of another"),
      (back: URL) => {
        back.searchParams.delete("code");
        back.searchParams.set("error", "access_denied");
      },
    ];
    for (const change of wrong) {
      const { authorization } = browser(change);
      const session = open(platform, cwd, network, authorization);
      const result = await session.executeCommand("mcp", "authorize w");
      expect(result).toMatchObject({
        success: false,
        message: expect.stringContaining("w was not"),
      });
      expect(facts.grants).toEqual([]);
      await session.shutdown();
    }
  }));

it("is for a person alone, and says what to do where nobody can", () =>
  withHost(async ({ platform, cwd }) => {
    const { network } = guarded();
    const session = open(platform, cwd, network, undefined);
    expect(await stateOf(session)).toBe("unauthorized");
    await expect(
      session.executeCommand("mcp", "authorize w", { caller: { kind: "model" } }),
    ).rejects.toThrow();
    await session.shutdown();
  }));
