import { edgePlatform } from "@robota/adapters-edge";
import { DurableObject } from "cloudflare:workers";
import { checkLife, liveAsSession } from "../support/session-life.ts";

interface Env {
  STORE: DurableObjectNamespace<Store>;
}

const cwd = "/workspace";

/** A session that works until the process is killed and tells what it shows, line by line; and the check of what is left. */
export class Store extends DurableObject<Env> {
  readonly #platform = edgePlatform(this.ctx);

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    await this.#platform.fs.mkdir(cwd, { recursive: true });
    if (pathname === "/check") {
      const lines = (await request.text()).split("\n");
      return Response.json(await checkLife(this.#platform, { cwd, lines }));
    }
    const first = Number(searchParams.get("first"));
    if (first === 0) await this.#platform.fs.writeFile(`${cwd}/a.txt`, "at first\n");
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const encoder = new TextEncoder();
    const report = (line: string): Promise<void> => writer.write(encoder.encode(`${line}\n`));
    liveAsSession(this.#platform, { cwd, first, report }).catch((error: unknown) =>
      report(`failed ${String(error)}`),
    );
    return new Response(readable);
  }
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    env.STORE.get(env.STORE.idFromName("only")).fetch(request),
};
