import { spawn } from "node:child_process";
import { once } from "node:events";

/** `robota serve` in a process of its own. Disposing stops it, and waits until it has ended. */
export interface ServedSessions extends AsyncDisposable {
  readonly url: string;
  /** The token of the sessions' owner. */
  readonly token: string;
  /** Stops it by SIGTERM, and resolves to its exit code. */
  stop(): Promise<number | null>;
}

export interface ServeOptions {
  cwd: string;
  home: string;
  env?: Readonly<Record<string, string>>;
}

/** Starts the server with the installed command and the offline provider; resolves once it listens. */
export async function serveSessions(
  installed: string,
  { cwd, home, env = {} }: ServeOptions,
): Promise<ServedSessions> {
  const token = "secret-for-this-test";
  const server = spawn(
    process.execPath,
    [installed, "serve", "--port", "0", "--provider", "offline"],
    {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home, ROBOTA_TOKEN: token, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = once(server, "close");
  const failed = ended.then(() => Promise.reject(new Error("The server ended before it listened")));
  const [line] = (await Promise.race([once(server.stdout, "data"), failed])) as [Buffer];

  async function stop(): Promise<number | null> {
    server.kill("SIGTERM");
    await ended;
    return server.exitCode;
  }

  return {
    url: line.toString().trim(),
    token,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}
