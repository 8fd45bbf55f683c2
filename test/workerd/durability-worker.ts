import { edgePlatform } from "@robota/adapters-edge";
import { DurableObject } from "cloudflare:workers";

interface Env {
  STORE: DurableObjectNamespace<Store>;
}

/** Writes what a request says through the ports and answers when they say that it is durable. */
export class Store extends DurableObject<Env> {
  readonly #platform = edgePlatform(this.ctx);

  override async fetch(request: Request): Promise<Response> {
    const { fs, storage } = this.#platform;
    const { pathname } = new URL(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    switch (`${request.method} ${pathname}`) {
      case "POST /log":
        return Response.json(await storage.append("log", [body, body]));
      case "GET /log": {
        const entries = await Array.fromAsync(storage.read("log"));
        return Response.json(
          entries.map(({ seq, value }) => [seq, new TextDecoder().decode(value)]),
        );
      }
      case "POST /value":
        return Response.json(await storage.set("value", body));
      case "GET /value":
        return new Response((await storage.get("value")) ?? null);
      case "POST /file":
        await fs.writeFile("/file", body);
        return Response.json(true);
      case "GET /file":
        return new Response(await fs.readFile("/file"));
      case "POST /swap":
        // As editors save: write beside it, then rename over it.
        await fs.writeFile("/next", body);
        await fs.rename("/next", "/swapped");
        return Response.json(true);
      case "GET /swap":
        return new Response(await fs.readFile("/swapped"));
      default:
        return new Response(null, { status: 404 });
    }
  }
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    env.STORE.get(env.STORE.idFromName("only")).fetch(request),
};
