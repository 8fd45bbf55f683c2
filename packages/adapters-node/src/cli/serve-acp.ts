import { Readable, Writable } from "node:stream";
import { InteractiveSession, listSessions, type Platform } from "@robota/runtime";
import { PERMISSION_MODES } from "@robota/runtime/permissions";
import { readSettings } from "@robota/runtime/settings";
import { acpTransport } from "@robota/runtime/transports";
import type { AcpCommand } from "./arguments/commands.ts";
import { firstLine } from "./printable.ts";
import { resumedProvider } from "./resumed-provider.ts";
import { sessionOptions } from "./session-options.ts";

interface ServeOptions {
  version: string;
  /** Called with failures; standard output is the protocol's. */
  onError: (error: unknown) => void;
}

/** Serves an editor over standard input and output until it hangs up; resolves to the exit code. */
export async function serveAcp(
  command: AcpCommand,
  platform: Platform,
  { version, onError }: ServeOptions,
): Promise<number> {
  // Paths in options are those of where the command runs; the sessions' own directories are the editor's choice.
  const { mcpServers: configured, ...chosen } = await sessionOptions(command, process.cwd());
  const trustWorkspace = command.trustWorkspace || undefined;
  const transport = acpTransport({
    stream: {
      readable: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
      writable: Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    },
    agentInfo: { name: "robota", version },
    permissionModes: PERMISSION_MODES,
    // The person's own editor starts this process, and configures these servers.
    takesMcpServers: true,
    onError,
    async open({ cwd, additionalDirectories = [], mcpServers, resumeSessionId }) {
      const { values } = await readSettings(platform, {
        cwd,
        trustWorkspace,
        settings: chosen.settings,
      });
      const own = values.provider ?? {};
      const { provider } = await resumedProvider(resumeSessionId, command, own, platform);
      return new InteractiveSession({
        platform,
        provider,
        cwd,
        roots: [cwd, ...additionalDirectories],
        ...chosen,
        mcpServers: { ...configured, ...mcpServers },
        trustWorkspace,
        resumeSessionId,
      });
    },
    async list(directory) {
      const sessions = await listSessions(platform.storage);
      return sessions
        .filter(({ cwd }) => directory === undefined || cwd === directory)
        .map(({ id: sessionId, cwd, name, preview, updatedAt }) => ({
          sessionId,
          cwd,
          title: firstLine(name ?? preview, 50),
          updatedAt,
        }));
    },
  });
  const stop = (): void => void transport.stop().catch(onError);
  process.once("SIGTERM", stop).once("SIGINT", stop);
  await transport.start();
  await transport.closed;
  return 0;
}
