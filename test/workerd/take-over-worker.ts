import { edgePlatform } from "@robota/adapters-edge";
import { DurableObject } from "cloudflare:workers";
import { contend, judge } from "../support/take-overs.ts";

interface Env {
  STORE: DurableObjectNamespace<Store>;
}

const cwd = "/workspace";

/** Platforms on one object's SQLite that take sessions from each other. */
export class Store extends DurableObject<Env> {
  readonly #platforms = [
    edgePlatform(this.ctx),
    edgePlatform(this.ctx),
    // An object's memory belongs to its state: this is an instance that was replaced, runs on and is not notified.
    edgePlatform(new Proxy(this.ctx, { get: (of, key) => Reflect.get(of, key) })),
  ];

  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const [first, count] = ["first", "count"].map((name) => Number(searchParams.get(name)));
    const sessions = { first: first ?? 0, count: count ?? 1, cwd };
    for (const { fs } of this.#platforms) await fs.mkdir(cwd, { recursive: true });
    const contentions = await Promise.all(
      this.#platforms.map((platform, index) =>
        contend(platform, { name: `p${index}`, ...sessions }),
      ),
    );
    return Response.json(await judge(edgePlatform(this.ctx), { contentions, ...sessions }));
  }
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    env.STORE.get(env.STORE.idFromName("only")).fetch(request),
};
