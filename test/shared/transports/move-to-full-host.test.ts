import { withHost } from "#host";
import { contentText, InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { moveFromServer, moveToServer, RemoteSession } from "@robota/runtime/transports";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import type { Host } from "../../hosts/host.ts";
import { httpFixture } from "../../support/network/http-sessions.ts";
import { fullStorage } from "../../support/recovery/full-storage.ts";

/** A session of this host with two turns, and a server whose storage can get full. */
async function open({ platform, cwd }: Host) {
  const full = fullStorage(memoryPlatform({ files: { "/project/": "" } }));
  const http = httpFixture([{ text: "there" }], { platform: full.platform });
  const server = {
    url: "http://localhost",
    token: "ann-secret",
    fetch: async (url: RequestInfo | URL, init?: RequestInit) =>
      http.transport.fetch(new Request(url, init)),
  };
  const openHere = (): InteractiveSession =>
    new InteractiveSession({
      platform,
      cwd,
      sessionId: "moving",
      trackFiles: false,
      provider: new ScriptedProvider([{ text: "one" }, { text: "two" }]),
    });
  const session = openHere();
  await session.submit("first");
  await session.submit("second");
  return { full, server, session, openHere };
}

const options = { firstDelayMs: 1 };
const words = (session: { getMessages: InteractiveSession["getMessages"] }): string[] =>
  session.getMessages().map(({ content }) => contentText(content ?? ""));

it("a full host takes nothing of a session, and the same call completes the move when there is room", () =>
  withHost(async (host) => {
    const { full, server, session } = await open(host);
    const before = words(session);
    full.isFull = () => true;
    await expect(moveToServer(session, server, options)).rejects.toMatchObject({
      code: "FULL",
      hint: expect.stringContaining("room"),
    });
    expect(words(session)).toEqual(before);
    full.isFull = () => false;
    const place = await moveToServer(session, server, options);
    await using there = new RemoteSession({ ...server, sessionId: place.sessionId });
    await there.ready;
    expect(words(there)).toEqual(before);
    expect(await there.submit("third")).toMatchObject({ state: "complete", response: "there" });
    await session.shutdown();
  }));

it("a session that a full host did not take goes on here", () =>
  withHost(async (host) => {
    const { full, server, session, openHere } = await open(host);
    const before = words(session);
    full.isFull = () => true;
    await expect(moveToServer(session, server, options)).rejects.toMatchObject({ code: "FULL" });
    // It has stopped here, and waits for room there; coming back ends the move.
    const { sessionId: arriving = "" } = session.handedOverTo ?? {};
    await session.shutdown();
    expect(await moveFromServer(host.platform, arriving, server, options)).toBe("moving");
    const again = openHere();
    await again.ready;
    expect(words(again)).toEqual(before);
    expect(await again.submit("third")).toMatchObject({ state: "complete", response: "one" });
    await again.shutdown();
  }));
