import { createApp } from "../../apps/edge-worker/src/app.ts";
import type { Environment } from "../../apps/edge-worker/src/environment.ts";

export { SessionDirectory, SessionObject } from "../../apps/edge-worker/src/worker.ts";

/** The worker, where `PUT /unattended/{id}` also makes a session of `owner` that asks nobody. */
export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    const id = /^\/unattended\/(.+)$/.exec(new URL(request.url).pathname)?.[1];
    if (id === undefined) return createApp(env).fetch(request);
    const owner = "owner";
    const { DIRECTORIES, SESSIONS } = env;
    await DIRECTORIES.get(DIRECTORIES.idFromName(owner)).reserve(id, id, 20);
    const createdAt = new Date().toISOString();
    const session = SESSIONS.get(SESSIONS.idFromName(`${owner}/${id}`));
    await session.create({ id, owner, createdAt, permissionMode: "bypassPermissions" });
    return new Response(null, { status: 201 });
  },
};
