import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Files } from "../settings-support.ts";
import { membersOf, zipOf } from "./bundle-files.ts";

/** A marketplace on this machine, which permits pages to read it. */
export interface MarketplaceServer extends AsyncDisposable {
  /** Address of its index. */
  readonly url: string;
}

/** Serves an index named `local` with one plugin, whose archive is pinned. */
export async function serveMarketplace(
  { name, ...entry }: { name: string; description?: string; keywords?: string[] },
  files: Files,
): Promise<MarketplaceServer> {
  const archive = await zipOf(membersOf(files));
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const plugins = [{ name, source: `./${name}.zip`, ...entry, sha256 }];
  const index = JSON.stringify({ name: "local", plugins });
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    if (request.url === "/marketplace.json") response.end(index);
    else if (request.url === `/${name}.zip`) response.end(archive);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/marketplace.json`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
