import { withHost } from "#host";
import { SessionError, type Platform } from "@robota/runtime";
import type { ChangedContent, ChangedFile, ClientSession } from "@robota/runtime/sessions";
import type { ScriptedReply } from "@robota/runtime/testing";
import { RemoteSession } from "@robota/runtime/transports";
import { expect, it } from "vitest";
import { httpFixture } from "../../support/network/http-sessions.ts";

const bash = (command: string): ScriptedReply => ({
  toolCalls: [{ name: "Bash", args: { command } }],
});

/** A server whose sessions work in `cwd`. */
function server(script: readonly ScriptedReply[], { platform, cwd }: Place, takeOver = false) {
  const tokens = {
    ann: [
      "ann-secret",
      { token: "ann-reads", scopes: ["read" as const] },
      { token: "ann-prompts", scopes: ["prompt" as const] },
    ],
  };
  const http = httpFixture(script, {
    platform,
    tokens,
    session: { cwd, permissionMode: "bypassPermissions", takeOver },
  });
  const connect = async (sessionId?: string, token = "ann-secret"): Promise<RemoteSession> => {
    const address = {
      url: "http://localhost",
      token,
      fetch: async (url: RequestInfo | URL, init?: RequestInit) =>
        http.transport.fetch(new Request(url, init)),
    };
    if (sessionId === undefined) return RemoteSession.create(address);
    const session = new RemoteSession({ ...address, sessionId });
    await session.ready;
    return session;
  };
  return { ...http, connect };
}

interface Place {
  platform: Platform;
  cwd: string;
}

const listed = (files: readonly ChangedFile[]): string[] =>
  files.map(({ path, kind, now }) => `${kind} ${path.slice(path.lastIndexOf("/") + 1)} ${now}`);

const byPath = (contents: readonly ChangedContent[]): ChangedContent[] =>
  contents.toSorted((one, other) => (one.path < other.path ? -1 : 1));

async function textIn({ fs }: Platform, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await fs.readFile(path));
  } catch {
    return undefined;
  }
}

it("lists what turns changed on a server, gives both versions, and undoes one file, which another process knows", () =>
  withHost(async (place) => {
    const { platform, cwd } = place;
    await platform.fs.writeFile(`${cwd}/a.txt`, "one\n");
    await platform.fs.writeFile(`${cwd}/pixel`, new Uint8Array([0, 1]));
    const first = server(
      [
        bash("echo two > a.txt; echo new > b.txt; echo text > pixel"),
        { text: "Changed" },
        bash("echo three > a.txt"),
        { text: "Changed again" },
      ],
      place,
    );
    const far = await first.connect();
    // The interface is that of a session in this process.
    const session: Pick<ClientSession, "changes" | "workspace"> = far;
    expect(await session.changes.changedFiles()).toEqual([]);
    await far.submit("Change");
    await far.submit("Change again");
    expect(session.workspace.cwd).toBe(cwd);
    const [turn, last] = far.checkpoints();
    expect(listed(await session.changes.changedFiles(turn?.id))).toEqual([
      "modified a.txt changed-again",
      "added b.txt changed",
      "modified pixel changed",
    ]);
    expect(listed(await session.changes.changedFiles(last?.id))).toEqual([
      "modified a.txt changed",
    ]);
    const listing = await session.changes.changedFiles();
    expect(listed(listing)).toEqual([
      "modified a.txt changed",
      "added b.txt changed",
      "modified pixel changed",
    ]);
    const paths = listing.map(({ path }) => path);
    expect(byPath(await session.changes.changedContents(paths))).toEqual([
      { path: `${cwd}/a.txt`, before: "one\n", after: "three\n" },
      { path: `${cwd}/b.txt`, before: null, after: "new\n" },
      { path: `${cwd}/pixel`, before: { size: 2, reason: "binary" }, after: "text\n" },
    ]);
    expect(await session.changes.changedContents(paths, last?.id)).toEqual([
      { path: `${cwd}/a.txt`, before: "two\n", after: "three\n" },
    ]);
    await expect(session.changes.changedFiles("no-such-turn")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });

    const undone = await session.changes.restoreFiles(listing.slice(0, 1), last?.id);
    expect(undone.files.restored).toEqual([`${cwd}/a.txt`]);
    expect(await textIn(platform, `${cwd}/a.txt`)).toBe("two\n");
    expect(await textIn(platform, `${cwd}/b.txt`)).toBe("new\n");
    await far.shutdown();
    await first.transport.stop();

    // Another process reads all of it from the session's log.
    const second = server([], place, true);
    const again = await second.connect(far.sessionId);
    expect(listed(await again.changes.changedFiles(last?.id))).toEqual(["modified a.txt undone"]);
    await again.changes.restoreFiles([`${cwd}/a.txt`], undone.undoId);
    expect(await textIn(platform, `${cwd}/a.txt`)).toBe("three\n");
    await again.shutdown();
    await second.transport.stop();
  }));

it("does not undo on a server what was changed since it was listed, nor for a token that reads", () =>
  withHost(async (place) => {
    const { platform, cwd } = place;
    const { connect, transport } = server(
      [bash("echo a > a.txt; echo KEY=1 > .env"), { text: "Changed" }],
      place,
    );
    const session = await connect();
    await session.submit("Change");
    const reader = await connect(session.sessionId, "ann-reads");
    const listing = await reader.changes.changedFiles();
    expect(listed(listing)).toEqual(["added .env changed", "added a.txt changed"]);
    // Keys are for those who may read their files.
    const paths = listing.map(({ path }) => path);
    expect(await reader.changes.changedContents(paths)).toEqual([
      { path: `${cwd}/a.txt`, before: null, after: "a\n" },
    ]);
    expect(await session.changes.changedContents(paths)).toHaveLength(2);
    await expect(reader.changes.restoreFiles(listing)).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });

    await platform.fs.writeFile(`${cwd}/a.txt`, "by somebody else\n");
    const writer = await connect(session.sessionId, "ann-prompts");
    const refusal: unknown = await writer.changes
      .restoreFiles(listing)
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SessionError);
    expect(refusal).toMatchObject({ code: "FILE_CHANGED", hint: "List them again." });
    expect(await textIn(platform, `${cwd}/a.txt`)).toBe("by somebody else\n");
    expect(await textIn(platform, `${cwd}/.env`)).toBe("KEY=1\n");
    await writer.changes.restoreFiles(await writer.changes.changedFiles());
    expect(await textIn(platform, `${cwd}/a.txt`)).toBeUndefined();
    for (const each of [reader, writer, session]) await each.shutdown();
    await transport.stop();
  }));

it("gives large versions from a server in several answers", () =>
  withHost(async (place) => {
    const names = ["1", "2", "3", "4"];
    const { connect, call, transport } = server(
      [
        bash("for i in 1 2 3 4; do head -c 900000 /dev/zero | tr '\\0' x > $i; done"),
        { text: "x" },
      ],
      place,
    );
    const session = await connect();
    await session.submit("Change");
    const paths = names.map((name) => `${place.cwd}/${name}`);
    const body = { paths: ["/elsewhere", ...paths] };
    const cut = await call(`/v1/sessions/${session.sessionId}/changes`, { body });
    const { files, isTruncated }: { files: unknown[]; isTruncated: boolean } = await cut.json();
    expect([files.length, isTruncated]).toEqual([3, true]);
    const found = await session.changes.changedContents(body.paths);
    expect(found.map(({ path }) => path)).toEqual(paths);
    expect(found.map(({ after }) => typeof after === "string" && after.length)).toEqual(
      paths.map(() => 900_000),
    );
    await session.shutdown();
    await transport.stop();
  }));
