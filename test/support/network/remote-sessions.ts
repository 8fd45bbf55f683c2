import type { ScriptedReply } from "@robota/runtime/testing";
import { RemoteSession, type RemoteSessionOptions } from "@robota/runtime/transports";
import { echo } from "../support.ts";
import { faultyFetch, type FaultyFetch } from "./faulty-fetch.ts";
import { httpFixture, type HttpFixture } from "./http-sessions.ts";

export interface RemoteFixture extends HttpFixture, FaultyFetch {
  connect: (options?: Partial<RemoteSessionOptions> & { name?: string }) => Promise<RemoteSession>;
  /** The session's log, as the server has it. */
  log: (session: RemoteSession) => Promise<string>;
}

/** A server of sessions that answer by `script`, behind a network that can fail. */
export function remote(script: readonly ScriptedReply[] = [], queueLimit = 3): RemoteFixture {
  const http = httpFixture(script, { session: { tools: [echo], queueLimit } });
  const network = faultyFetch(http.transport);
  const address = {
    url: "http://localhost",
    token: "ann-secret",
    fetch: network.fetch,
    firstDelayMs: 1,
    maxDelayMs: 20,
  };
  return {
    ...http,
    ...network,
    async connect(options = {}) {
      if (options.sessionId === undefined) return RemoteSession.create({ ...address, ...options });
      const session = new RemoteSession({ ...address, ...options, sessionId: options.sessionId });
      await session.ready;
      return session;
    },
    log: async (session) => {
      const response = await http.call(`/v1/sessions/${session.sessionId}/history`);
      return JSON.stringify(((await response.json()) as { history: unknown }).history);
    },
  };
}
