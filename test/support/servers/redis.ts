import { createConnection } from "node:net";
import { type RunningServer, runServer } from "./run-server.ts";

/** A Redis server for one test file, which syncs each write unless told otherwise. */
export function runRedis(settings: readonly string[] = []): Promise<RunningServer> {
  return runServer({
    user: "redis",
    command: (directory, port) => [
      "redis-server",
      "--port",
      `${port}`,
      "--bind",
      "127.0.0.1",
      "--dir",
      directory,
      "--save",
      "",
      "--appendonly",
      "yes",
      "--appendfsync",
      "always",
      ...settings,
    ],
    url: (port) => `redis://127.0.0.1:${port}`,
    isReady: answersPing,
  });
}

/** A server that still reads its files answers with an error. */
function answersPing(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => resolve(false));
    socket.on("connect", () => socket.write("PING\r\n"));
    socket.on("data", (data) => {
      socket.destroy();
      resolve(data.toString().startsWith("+PONG"));
    });
  });
}
