// The worker of apps/edge-worker, whose objects read the operator's settings from a namespace that fails once after each
// request to /fail-once.
import app, { SessionObject as Original } from "../../apps/edge-worker/src/worker.ts";

export { SessionDirectory } from "../../apps/edge-worker/src/worker.ts";

type Environment = ConstructorParameters<typeof Original>[1];

let failures = 0;

const CONFIG = {
  async get() {
    if (failures === 0) return null;
    failures -= 1;
    throw new Error("the namespace is away");
  },
};

export class SessionObject extends Original {
  constructor(ctx: DurableObjectState, env: Environment) {
    super(ctx, Object.assign({}, env, { CONFIG }));
  }
}

export default {
  async fetch(request, env) {
    if (!request.url.endsWith("/fail-once")) return app.fetch(request, env);
    failures = 1;
    return new Response();
  },
} satisfies ExportedHandler<Environment>;
