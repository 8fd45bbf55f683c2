import { join } from "node:path";
import pg from "pg";
import { postgresProgram, type RunningServer, runServer } from "./run-server.ts";

/** A PostgreSQL server for one test file. What it has confirmed outlives its process, but for speed not the machine. */
export function runPostgres(): Promise<RunningServer> {
  return runServer({
    user: "postgres",
    prepare: (directory, run) =>
      run([
        postgresProgram("initdb"),
        "--no-sync",
        "--auth=trust",
        "--username=robota",
        "--encoding=UTF8",
        "--locale=C",
        join(directory, "data"),
      ]),
    command: (directory, port) => [
      postgresProgram("postgres"),
      "-D",
      join(directory, "data"),
      "-p",
      `${port}`,
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      `unix_socket_directories=${directory}`,
      "-c",
      "max_connections=100",
      "-c",
      "fsync=off",
    ],
    url: (port) => `postgres://robota@127.0.0.1:${port}/postgres`,
    isReady: async (url) => {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => undefined);
      try {
        await client.connect();
        await client.end();
        return true;
      } catch {
        return false;
      }
    },
  });
}
