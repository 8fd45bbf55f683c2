import { createApp } from "../../apps/edge-worker/src/app.ts";
import type { Environment } from "../../apps/edge-worker/src/environment.ts";
import { SessionObject as WorkerSession } from "../../apps/edge-worker/src/worker.ts";

export { SessionDirectory } from "../../apps/edge-worker/src/worker.ts";

export class SessionObject extends WorkerSession {
  /** The time of its next alarm, in milliseconds since the epoch. */
  alarmTime(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }
}

interface TestEnvironment extends Environment {
  SESSIONS: DurableObjectNamespace<SessionObject>;
}

/**
 * The worker, where `PUT /unattended/{id}` also makes a session of `owner` that asks nobody, and `GET /unattended/{id}`
 * tells when its alarm rings next.
 */
export default {
  async fetch(request: Request, env: TestEnvironment): Promise<Response> {
    const id = /^\/unattended\/(.+)$/.exec(new URL(request.url).pathname)?.[1];
    if (id === undefined) return createApp(env).fetch(request);
    const owner = "owner";
    const { DIRECTORIES, SESSIONS } = env;
    const session = SESSIONS.get(SESSIONS.idFromName(`${owner}/${id}`));
    if (request.method === "GET") return Response.json(await session.alarmTime());
    await DIRECTORIES.get(DIRECTORIES.idFromName(owner)).reserve(id, id, 20);
    const createdAt = new Date().toISOString();
    await session.create({ id, owner, createdAt, permissionMode: "bypassPermissions" });
    return new Response(null, { status: 201 });
  },
};
