// Sessions over HTTP by Express: the API takes Requests and gives Responses, which a listener of Node translates.
import { getRequestListener } from "@hono/node-server";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { httpTransport, inProcessSessions } from "@robota/runtime/transports";
import express from "express";

const platform = nodePlatform();
const sessions = inProcessSessions({
  storage: platform.storage,
  open: ({ sessionId }) =>
    new InteractiveSession({ platform, provider: new OfflineProvider(), sessionId }),
});
const api = httpTransport({ sessions, tokens: { ann: process.env.TOKEN ?? "secret" } });
const listener = getRequestListener(api.fetch);

const app = express();
app.get("/", (_, response) => void response.send("My server"));
// Before any parser of bodies: the API reads them itself.
app.use((request, response, next) =>
  request.path.startsWith("/v1/") ? void listener(request, response) : next(),
);
const server = app.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
});
process.once("SIGTERM", () => void stop());

async function stop(): Promise<void> {
  await api.stop();
  server.close();
  await sessions[Symbol.asyncDispose]();
  await platform.dispose();
}
