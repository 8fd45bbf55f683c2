import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A database server of a test, with its files in a directory of its own, on loopback. */
export interface RunningServer extends AsyncDisposable {
  url: string;
  /** Ends the process at once, as a crash would, and starts it again on the same files and port. */
  restart(): Promise<void>;
}

export interface ServerProgram {
  /** User that runs the program when the test is root, which some servers refuse. */
  user: string;
  /** Prepares the directory. */
  prepare?: (directory: string, run: (command: string[]) => void, port: number) => void;
  command: (directory: string, port: number) => string[];
  url: (port: number) => string;
  isReady: (url: string) => Promise<boolean>;
}

/** A killed server's other processes may hold its memory for a while, and the next one ends as long as they do. */
const RELAUNCHES = 100;

/** Starts the program and waits until it answers. */
export async function runServer(program: ServerProgram): Promise<RunningServer> {
  const directory = await mkdtemp(join(tmpdir(), "robota-server-"));
  const owner = ownerOf(program.user);
  if (owner) chownSync(directory, owner.uid, owner.gid);
  const run = ([command = "", ...args]: string[]): void => {
    const done = spawnSync(command, args, { ...owner, cwd: directory, encoding: "utf8" });
    if (done.status !== 0)
      throw new Error(`${command} failed: ${done.stderr || String(done.error)}`);
  };
  const port = await freePort();
  program.prepare?.(directory, run, port);
  const url = program.url(port);
  let child: ChildProcess | undefined;

  function launch(): ChildProcess {
    const [command = "", ...args] = program.command(directory, port);
    child = spawn(command, args, { ...owner, cwd: directory, stdio: "ignore" });
    child.on("error", () => undefined);
    return child;
  }

  async function start(launches: number): Promise<void> {
    let latest = launch();
    for (let count = 1; !(await program.isReady(url));) {
      if (latest.exitCode !== null) {
        if (count === launches) throw new Error(`${latest.spawnfile} ended ${count} times`);
        count += 1;
        latest = launch();
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function end(): Promise<void> {
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    if (child?.kill("SIGKILL")) await ended;
  }

  await start(1);
  return {
    url,
    async restart() {
      await end();
      await start(RELAUNCHES);
    },
    async [Symbol.asyncDispose]() {
      await end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The newest installation of PostgreSQL by Debian's layout, or the programs on the PATH. */
export function postgresProgram(name: string): string {
  const root = "/usr/lib/postgresql";
  if (!existsSync(root)) return name;
  const versions = readdirSync(root).toSorted((a, b) => Number(b) - Number(a));
  return join(root, versions[0] ?? "", "bin", name);
}

function ownerOf(user: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number =>
    Number(spawnSync("id", [flag, user], { encoding: "utf8" }).stdout);
  return { uid: id("-u"), gid: id("-g") };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
