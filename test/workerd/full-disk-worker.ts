import { edgePlatform } from "@robota/adapters-edge";
import { DurableObject } from "cloudflare:workers";
import { checkRecord, liveUntilFull } from "../support/recovery/full-disk.ts";

interface Env {
  STORE: DurableObjectNamespace<Store>;
}

const cwd = "/workspace";

/** A session that works until the disk of the process is full, and tells what it shows; and the check of what is left. */
export class Store extends DurableObject<Env> {
  readonly #platform = edgePlatform(this.ctx);

  override async fetch(request: Request): Promise<Response> {
    await this.#platform.fs.mkdir(cwd, { recursive: true });
    if (new URL(request.url).pathname === "/check") {
      const acknowledged = (await request.text()).split("\n").filter((line) => line !== "");
      return Response.json(await checkRecord(this.#platform, cwd, acknowledged));
    }
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const encoder = new TextEncoder();
    const report = (line: string): Promise<void> => writer.write(encoder.encode(`${line}\n`));
    liveUntilFull(this.#platform, { cwd, report }).then(
      (end) => report(`end ${JSON.stringify(end)}`),
      (error: unknown) => report(`failed ${String(error)}`),
    );
    return new Response(readable);
  }
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    env.STORE.get(env.STORE.idFromName("only")).fetch(request),
};
