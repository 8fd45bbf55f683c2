import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { InteractiveSession, type Platform } from "@robota/runtime";
import { readSettings } from "@robota/runtime/settings";
import { httpTransport, inProcessSessions } from "@robota/runtime/transports";
import type { ServeCommand } from "./arguments/commands.ts";
import { onInterrupt } from "./interrupts.ts";
import { printable } from "./printable.ts";
import { chooseProvider } from "./provider.ts";
import { TOKEN_VARIABLE } from "./run-remote.ts";
import { sessionOptions } from "./session-options.ts";

/** Owner of all sessions here: the person who started the server. */
const OWNER = "owner";
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const TOKEN_BYTES = 24;

/**
 * Serves sessions over HTTP until a signal ends it, and resolves to the exit code. Every caller needs the token; a server
 * on loopback also refuses names of other hosts, which a page could make point here.
 */
export async function serveSessions(
  command: ServeCommand,
  platform: Platform,
  onError: (error: unknown) => void,
): Promise<number> {
  const { host, port } = command;
  const given = platform.env(TOKEN_VARIABLE)?.trim() || undefined;
  const token = given ?? randomBytes(TOKEN_BYTES).toString("base64url");
  await using sessions = inProcessSessions({
    storage: platform.storage,
    open: await sessionOpener(command, platform),
    ownerOfOthers: OWNER,
  });
  const transport = httpTransport({
    sessions,
    tokens: { [OWNER]: token },
    allowedHosts: LOOPBACK.has(host) ? ["localhost", "127.0.0.1", "[::1]"] : undefined,
    onError,
  });
  const listener = getRequestListener((request) => transport.fetch(request));
  // It answers failures itself.
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  const stopped = Promise.withResolvers<void>();
  using interrupts = onInterrupt(() => stopped.resolve());
  server.listen(port, host);
  await once(server, "listening");
  const { port: actual } = server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
  process.stdout.write(`${url}\n`);
  if (given === undefined) process.stderr.write(`export ${TOKEN_VARIABLE}=${token}\n`);
  await stopped.promise;
  await transport.stop();
  server.close();
  server.closeAllConnections();
  return interrupts.exitCode() ?? 0;
}

/** Opens sessions with the options of the command line. The provider is chosen once. */
async function sessionOpener(
  { cwd, ...choice }: ServeCommand,
  platform: Platform,
): Promise<Parameters<typeof inProcessSessions>[0]["open"]> {
  // Nobody at the server's terminal is asked: earlier decisions count.
  const trustWorkspace = choice.trustWorkspace || undefined;
  const chosen = await sessionOptions(choice, cwd);
  const { settings } = chosen;
  const { values } = await readSettings(platform, { cwd, trustWorkspace, settings });
  const { provider, note } = await chooseProvider(choice, values.provider ?? {}, platform);
  if (note) process.stderr.write(`${printable(note)}\n`);
  return ({ sessionId, permissionMode: asked }) =>
    new InteractiveSession({
      platform,
      provider,
      cwd,
      sessionId,
      ...chosen,
      permissionMode: asked ?? chosen.permissionMode,
      trustWorkspace,
      queueLimit: 20,
    });
}
