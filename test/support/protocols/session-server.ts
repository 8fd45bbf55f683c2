import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import {
  httpTransport,
  type HttpTransportOptions,
  inProcessSessions,
} from "@robota/runtime/transports";
import { memoryPlatform } from "@robota/shell/testing";
import { listen } from "../../../packages/adapters-node/src/cli/serve/http-server.ts";

/** A server of sessions that a client of another protocol talks to; its model is the offline one. */
export interface SessionServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
}

/** Creates a session on the server; resolves to its address. */
export async function newSessionOn({ url, token }: SessionServer): Promise<string> {
  const response = await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  const { id } = (await response.json()) as { id: string };
  return `${url}/v1/sessions/${id}`;
}

/** Serves sessions in this process, by the server of the command line. */
export async function serveSessions(
  options: Partial<HttpTransportOptions> = {},
): Promise<SessionServer & AsyncDisposable> {
  const platform = memoryPlatform({ files: { "/project/README.md": "# A project\n" } });
  const sessions = inProcessSessions({
    storage: platform.storage,
    open: (session) =>
      new InteractiveSession({
        platform,
        provider: new OfflineProvider(),
        cwd: "/project",
        ...session,
      }),
  });
  const token = "ann-secret";
  const transport = httpTransport({ sessions, tokens: { ann: token }, ...options });
  const server = await listen({
    transport,
    sessions,
    host: "127.0.0.1",
    port: 0,
    onError: (error) => console.error(error),
  });
  return {
    url: server.url,
    token,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await sessions[Symbol.asyncDispose]();
    },
  };
}
