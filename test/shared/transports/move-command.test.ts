import { withHost } from "#host";
import { createFunctionTool, InteractiveSession, ValidationError } from "@robota/runtime";
import { type ScriptedReply, ScriptedProvider } from "@robota/runtime/testing";
import { MoveCommandSource, RemoteSession } from "@robota/runtime/transports";
import { expect, it } from "vitest";
import type { Host } from "../../hosts/host.ts";
import { faultyFetch } from "../../support/network/faulty-fetch.ts";
import { httpFixture } from "../../support/network/http-sessions.ts";
import { NEVER } from "../../support/recovery/cut-turn.ts";

const URL_THERE = "http://localhost";

function act(seen: string[]) {
  return createFunctionTool("act", "Acts", { type: "object" }, async () => {
    seen.push("acted");
    return "acted";
  });
}

/** A server, and a session whose program offers `/move` with a token for it. */
function open(
  { platform, cwd }: Host,
  here: readonly ScriptedReply[],
  there: readonly ScriptedReply[] = [],
  seen: string[] = [],
) {
  const tools = [act(seen)];
  const http = httpFixture(there, {
    session: { tools, queueLimit: 3, onInterruptedTurn: "continue" },
    tokens: { ann: ["ann-secret", { token: "ann-prompt", scopes: ["prompt", "approve"] }] },
  });
  const network = faultyFetch(http.transport);
  let token: string | undefined = "ann-secret";
  const provider = new ScriptedProvider(here);
  const session = new InteractiveSession({
    platform,
    provider,
    cwd,
    tools,
    trackFiles: false,
    queueLimit: 3,
    commandSources: [
      new MoveCommandSource({
        timeoutMs: 2_000,
        firstDelayMs: 1,
        accessTo() {
          if (token === undefined)
            throw new ValidationError("There is no token", { hint: "Set TOKEN." });
          return { token, fetch: network.fetch };
        },
      }),
    ],
  });
  const address = { url: URL_THERE, token: "ann-secret", fetch: network.fetch };
  return {
    ...network,
    session,
    provider,
    there: http.provider,
    attach: (sessionId: string) => new RemoteSession({ ...address, sessionId }),
    useToken: (next: string | undefined) => (token = next),
    move: (args = URL_THERE) => session.executeCommand("move", args),
    listed: async () => {
      const answer = await http.call("/v1/sessions");
      return ((await answer.json()) as { sessions: { id: string }[] }).sessions;
    },
  };
}

it("hands a session over in the middle of its turn, with its queue and its open request, under its id", () =>
  withHost(async (host) => {
    const seen: string[] = [];
    const toolCalls = [{ id: "call-1", name: "act", args: {} }];
    const { session, move, attach, there } = open(
      host,
      [{ toolCalls }],
      [{ text: "First" }, { text: "Second" }],
      seen,
    );
    const { sessionId } = session;
    session.submit("go").catch(() => undefined);
    const waiting = session.submit("next").catch(({ code }: { code: string }) => code);
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);

    expect(await move(`${URL_THERE}/`)).toEqual({
      success: true,
      message: `Moved to ${URL_THERE}, as session ${sessionId}.`,
      data: { movedTo: { sessionId, url: URL_THERE } },
    });
    expect(await waiting).toBe("HANDED_OVER");
    await using remote = attach(sessionId);
    await remote.ready;
    const [request] = remote.pendingPermissions();
    await remote.resolvePermission(request?.id ?? "", { allow: true });
    await expect.poll(() => there.requests.length).toBe(2);
    await expect.poll(() => remote.isExecuting()).toBe(false);
    expect(remote.getMessages().at(-1)?.content).toBe("Second");
    expect(seen).toEqual(["acted"]);
    await session.shutdown();
  }));

it("is listed, explained and completed where the program offers it", () =>
  withHost(async (host) => {
    const { session } = open(host, []);
    await session.ready;
    const listed = { name: "move", description: "Continue this session on a server" };
    expect(session.listCommands()).toContainEqual(listed);
    expect((await session.executeCommand("help", "move"))?.message).toBe(
      "/move <address>  Continue this session on a server",
    );
    expect((await session.completeCommand("/mov")).map(({ value }) => value)).toEqual(["/move"]);
    await session.shutdown();

    const { platform, cwd } = host;
    const provider = new ScriptedProvider([]);
    await using plain = new InteractiveSession({ platform, provider, cwd });
    expect(await plain.executeCommand("move", URL_THERE)).toBeNull();
  }));

it("leaves the session where it is, and nothing at the server, when it can't move", () =>
  withHost(async (host) => {
    const replies = ["One", "Two", "Three", "Four"].map((text) => ({ text }));
    const { session, move, useToken, setOnline, listed, requests } = open(host, replies);
    const refused = async (message: string, args?: string): Promise<void> => {
      expect(await move(args)).toEqual({ message, success: false });
      expect(session.handedOverTo).toBeUndefined();
      expect(await listed()).toEqual([]);
    };
    // Nothing has happened in it yet.
    await refused(
      "There is nothing yet to hand over. Send it a prompt first. The session goes on here.",
    );
    await session.submit("one");
    requests.length = 0;
    const hint = "Write it like /move https://robota.example. The session goes on here.";
    await refused(`/move needs the address of a server. ${hint}`, " ");
    await refused(`That is not the address of a server. ${hint}`, "nowhere");
    await refused(`That is not the address of a server. ${hint}`, "file:///etc/passwd");
    useToken(undefined);
    await refused("There is no token. Set TOKEN. The session goes on here.");
    expect(requests).toEqual([]);
    useToken("ann-prompt");
    await refused(
      "This token may not take over sessions. Use one with the scope admin. The session goes on here.",
    );
    useToken("guess");
    const { message = "" } = (await move()) ?? {};
    expect(message).toMatch(/The session goes on here\.$/);
    useToken("ann-secret");
    setOnline(false);
    const unreachable = await move();
    expect(unreachable?.message).toMatch(/Check the address .* The session goes on here\.$/);
    expect(await session.submit("two")).toMatchObject({ state: "complete", response: "Two" });
    setOnline(true);
    expect(await move()).toMatchObject({ success: true });
    await session.shutdown();
  }));

it("completes a move that was cut behind the seal, by the same command", () =>
  withHost(async (host) => {
    const { session, provider, move, attach, there, setOnline, requests } = open(
      host,
      [NEVER],
      [{ text: "Done" }],
    );
    session.submit("go").catch(() => undefined);
    await expect.poll(() => provider.requests.length).toBe(1);
    const watch = session.events({ after: 0 });
    void (async () => {
      for await (const { type } of watch)
        if (type === "note" && session.handedOverTo) setOnline(false);
    })();
    const cut = await move();
    expect(cut).toMatchObject({ success: false });
    expect(cut?.message).toMatch(
      /The session has stopped here, and may have arrived: the same command/,
    );
    setOnline(true);
    requests.length = 0;
    expect(await move()).toMatchObject({ success: true });
    await using remote = attach(session.sessionId);
    await remote.ready;
    await expect.poll(() => there.requests.length).toBe(1);
    await expect.poll(() => remote.getMessages().at(-1)?.content).toBe("Done");
    await session.shutdown();
  }));

it("keeps a password in an address out of the log and of the answer, and is for a person alone", () =>
  withHost(async (host) => {
    const { session, move } = open(host, [{ text: "One" }]);
    await session.submit("one");
    for (const caller of [
      { kind: "model" } as const,
      { kind: "remote", scopes: ["read", "write", "privilege"] } as const,
    ])
      await expect(session.executeCommand("move", URL_THERE, { caller })).rejects.toMatchObject({
        code: "COMMAND_REFUSED",
      });
    expect(session.handedOverTo).toBeUndefined();
    const moved = await move("http://ann:hush@localhost/?key=hush#hush");
    expect(moved?.success).toBe(true);
    const log = await new Response(await session.export()).text();
    expect(JSON.stringify(moved) + log).not.toContain("hush");
    await session.shutdown();
  }));
