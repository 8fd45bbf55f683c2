// One process of a fleet: any number of them, on any machine, serve the sessions in one PostgreSQL database. A lease says
// which process has a session; when it dies, another one takes over after ten seconds at most.
import { serve } from "@hono/node-server";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { httpTransport, inProcessSessions } from "@robota/runtime/transports";
import { postgresStorage } from "@robota/storage-postgres";

const storage = postgresStorage({ connectionString: process.env.DATABASE_URL });
const platform = nodePlatform({ storage });
const sessions = inProcessSessions({
  storage,
  open: ({ sessionId }) =>
    new InteractiveSession({
      platform,
      provider: new OfflineProvider(),
      sessionId,
      // Behind a load balancer, the process that gets the request takes the session from the one that had it.
      takeOver: true,
      onInterruptedTurn: "continue",
    }),
});
const api = httpTransport({ sessions, tokens: { ann: process.env.TOKEN ?? "secret" } });

const server = serve({ fetch: api.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
process.once("SIGTERM", () => void stop());

async function stop(): Promise<void> {
  await api.stop();
  server.close();
  await sessions[Symbol.asyncDispose]();
  await platform.dispose();
  await storage.dispose();
}
