import { type HttpMcpServer, serveWeather } from "../../../support/mcp/http-server.ts";
import {
  type MarketplaceServer,
  serveMarketplace,
} from "../../../support/bundles/marketplace-server.ts";
import { startWorkerd, type Workerd } from "../../workerd.ts";

/** The token that the worker knows. */
export const TOKEN = "ann-token-0123456789-abcdef";

/** Servers on this machine that some states need, each started when the first of them is shown. */
export interface Services extends AsyncDisposable {
  /** A worker with sessions, which admits pages of that origin. */
  worker(origin: string): Promise<Workerd>;
  marketplace(): Promise<MarketplaceServer>;
  mcp(): Promise<HttpMcpServer>;
}

const greeter = {
  "plugin.json": {
    name: "greeter",
    version: "1.0.0",
    description: "Greets people",
    permissions: { allow: ["Write(greetings/**)"], deny: ["Bash(rm *)"] },
  },
  "commands/hello.md": "---\ndescription: Says hello\nargument-hint: <name>\n---\nlist",
};

export function startServices(): Services {
  const started: Promise<AsyncDisposable>[] = [];
  function once<Args extends unknown[], Server extends AsyncDisposable>(
    start: (...args: Args) => Promise<Server>,
  ): (...args: Args) => Promise<Server> {
    let server: Promise<Server> | undefined;
    return (...args) => {
      if (!server) started.push((server = start(...args)));
      return server;
    };
  }
  return {
    worker: once((origin: string) =>
      startWorkerd({
        entry: "apps/edge-worker/src/worker.ts",
        objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
        variables: {
          API_TOKENS: JSON.stringify({ ann: TOKEN }),
          ALLOWED_ORIGINS: origin,
          NO_REQUEST_LOG: "1",
        },
      }),
    ),
    marketplace: once(() => serveMarketplace({ name: "greeter", keywords: ["hello"] }, greeter)),
    mcp: once(() => serveWeather("2026-07-28")),
    async [Symbol.asyncDispose]() {
      for (const server of await Promise.allSettled(started))
        if (server.status === "fulfilled") await server.value[Symbol.asyncDispose]();
    },
  };
}
