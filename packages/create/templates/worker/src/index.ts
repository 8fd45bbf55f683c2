import { DurableObject } from "cloudflare:workers";
import { edgePlatform } from "@robota/adapters-edge";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { sessionRoutes, withPrincipal } from "@robota/runtime/transports";

interface Env {
  AGENTS: DurableObjectNamespace<Agent>;
  TOKEN: string;
}

export class Agent extends DurableObject<Env> {
  session = new InteractiveSession({
    platform: edgePlatform(this.ctx),
    provider: new OfflineProvider(),
    sessionId: this.ctx.id.name,
    onInterruptedTurn: "continue",
  });
  routes = sessionRoutes(async () => this.session);

  override async fetch(request: Request): Promise<Response> {
    return this.routes.fetch(request);
  }
}

export default {
  async fetch(request, env) {
    if (request.headers.get("authorization") !== `Bearer ${env.TOKEN}`)
      return new Response("Unauthorized", { status: 401 });
    const { pathname } = new URL(request.url);
    const [, id] = /^\/v1\/sessions\/([\w-]{1,64})(?:\/|$)/.exec(pathname) ?? [];
    if (id === undefined) return new Response("Not found", { status: 404 });
    // The object trusts what the front says of its caller: here, one owner with every scope.
    const principal = { owner: "me", scopes: ["admin"] } as const;
    return env.AGENTS.get(env.AGENTS.idFromName(id)).fetch(withPrincipal(request, principal));
  },
} satisfies ExportedHandler<Env>;
