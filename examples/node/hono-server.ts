// Sessions over HTTP by Hono: the API is a Hono app itself, mounted beside your own routes.
import { serve } from "@hono/node-server";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { httpTransport, inProcessSessions } from "@robota/runtime/transports";
import { Hono } from "hono";

const platform = nodePlatform();
const sessions = inProcessSessions({
  storage: platform.storage,
  open: ({ sessionId }) =>
    new InteractiveSession({ platform, provider: new OfflineProvider(), sessionId }),
});
const api = httpTransport({ sessions, tokens: { ann: process.env.TOKEN ?? "secret" } });

const app = new Hono().get("/", (c) => c.text("My server")).route("/", api);
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
process.once("SIGTERM", () => void stop());

async function stop(): Promise<void> {
  await api.stop();
  server.close();
  await sessions[Symbol.asyncDispose]();
  await platform.dispose();
}
