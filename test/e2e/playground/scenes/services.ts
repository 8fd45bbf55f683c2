import { type HttpMcpServer, serveWeather } from "../../../support/mcp/http-server.ts";
import {
  type MarketplaceServer,
  serveMarketplace,
} from "../../../support/bundles/marketplace-server.ts";
import type { Workerd } from "../../workerd.ts";
import { startServer } from "./server.ts";

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
    worker: once(startServer),
    marketplace: once(() => serveMarketplace({ name: "greeter", keywords: ["hello"] }, greeter)),
    mcp: once(() => serveWeather("2026-07-28")),
    async [Symbol.asyncDispose]() {
      for (const server of await Promise.allSettled(started))
        if (server.status === "fulfilled") await server.value[Symbol.asyncDispose]();
    },
  };
}
