import { connect, createServer, type Server, type Socket } from "node:net";

/** The way to a server that can be closed and opened; closed at first. */
export interface Switchable extends AsyncDisposable {
  url: string;
  turnOn(): Promise<void>;
  /** Also cuts the connections. */
  turnOff(): Promise<void>;
  /** Loses what is sent over the connections there are, and over new ones until it is turned on again, without a word. */
  lose(): void;
  /** Bytes that were lost on their way to the server. */
  readonly lost: number;
}

/** Leads to the server at `url` by a port of its own. */
export async function switchable(url: string): Promise<Switchable> {
  const { port: targetPort, hostname } = new URL(url);
  const open = new Set<Socket>();
  let isLosing = false;
  let lost = 0;
  const loseAll = (): void => {
    for (const socket of open) socket.unpipe().resume();
  };
  const server = createServer((inner) => {
    const outer = connect(Number(targetPort), hostname);
    for (const socket of [inner, outer]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => open.delete(socket));
    }
    inner.pipe(outer).pipe(inner);
    inner.on("data", ({ length }) => (lost += isLosing ? length : 0));
    if (isLosing) loseAll();
  });
  // The port is known, and free, before anybody listens on it.
  const port = await listen(server, 0);
  await close(server);
  const turnOff = async (): Promise<void> => {
    const closed = server.listening ? close(server) : undefined;
    for (const socket of open) socket.destroy();
    await closed;
  };
  return {
    url: url.replace(`:${targetPort}`, `:${port}`),
    async turnOn() {
      isLosing = false;
      if (!server.listening) await listen(server, port);
    },
    turnOff,
    lose() {
      isLosing = true;
      loseAll();
    },
    get lost() {
      return lost;
    },
    [Symbol.asyncDispose]: turnOff,
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
