import { createHmac, randomBytes } from "node:crypto";
import { InteractiveSession, type Platform } from "@robota/runtime";
import type { SharedStorage } from "@robota/runtime/shared-storage";
import { readSettings } from "@robota/runtime/settings";
import { httpTransport, inProcessSessions } from "@robota/runtime/transports";
import type { ServeCommand } from "../arguments/commands.ts";
import { onInterrupt } from "../interrupts.ts";
import { printable } from "../printable.ts";
import { chooseProvider } from "../provider.ts";
import { storedProvider } from "../resumed-provider.ts";
import { TOKEN_VARIABLE } from "../arguments/token-variable.ts";
import { sessionOptions } from "../session-options.ts";
import { listen } from "./http-server.ts";

/** Owner of all sessions here: the person who started the server. */
const OWNER = "owner";
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const TOKEN_BYTES = 24;

/**
 * Serves sessions over HTTP and WebSockets until a signal ends it, and resolves to the exit code. Every caller needs the
 * token; a server on loopback also refuses names of other hosts, which a page could make point here.
 */
export async function serveSessions(
  command: ServeCommand,
  machine: Platform,
  onError: (error: unknown) => void,
): Promise<number> {
  const { host, port } = command;
  const given = machine.env(TOKEN_VARIABLE)?.trim() || undefined;
  const token = given ?? randomBytes(TOKEN_BYTES).toString("base64url");
  await using shared = await storageOf(command);
  const platform = shared ? { ...machine, storage: shared } : machine;
  await using sessions = inProcessSessions({
    storage: platform.storage,
    open: await sessionOpener(command, platform),
    ownerOfOthers: OWNER,
  });
  const transport = httpTransport({
    sessions,
    tokens: { [OWNER]: token },
    // Servers that share their callers take each other's tickets.
    ticketSecret: createHmac("sha256", token).update("tickets").digest("hex"),
    allowedHosts: LOOPBACK.has(host) ? ["localhost", "127.0.0.1", "[::1]"] : undefined,
    onError,
  });
  const stopped = Promise.withResolvers<void>();
  using interrupts = onInterrupt(() => stopped.resolve());
  await using server = await listen({ transport, sessions, host, port, onError });
  process.stdout.write(`${server.url}\n`);
  if (given === undefined) process.stderr.write(`export ${TOKEN_VARIABLE}=${token}\n`);
  await stopped.promise;
  return interrupts.exitCode() ?? 0;
}

/** The database of a fleet of servers; `undefined` for this machine's own storage. */
async function storageOf({ storage }: ServeCommand): Promise<SharedStorage | undefined> {
  if (storage === undefined) return undefined;
  const { sharedStorageAt } = await import("./shared-storage.ts");
  return sharedStorageAt(storage);
}

/** Opens sessions with the options of the command line. The provider of new ones is chosen once. */
async function sessionOpener(
  { cwd, ...choice }: ServeCommand,
  platform: Platform,
): Promise<Parameters<typeof inProcessSessions>[0]["open"]> {
  // Nobody at the server's terminal is asked: earlier decisions count.
  const trustWorkspace = choice.trustWorkspace || undefined;
  const chosen = await sessionOptions(choice, cwd);
  const { settings } = chosen;
  const { values } = await readSettings(platform, { cwd, trustWorkspace, settings });
  const own = values.provider ?? {};
  const { provider, note } = await chooseProvider(choice, own, platform);
  if (note) process.stderr.write(`${printable(note)}\n`);
  return async ({ sessionId, permissionMode: asked }) =>
    new InteractiveSession({
      platform,
      // A stored session goes on with its own where the server has a key for it.
      provider: (await storedProvider(sessionId, own, platform)) ?? provider,
      cwd,
      sessionId,
      ...chosen,
      permissionMode: asked ?? chosen.permissionMode,
      trustWorkspace,
      queueLimit: 20,
      // A turn that was cut has clients that wait for it, here or where its session comes from.
      onInterruptedTurn: "continue",
    });
}
