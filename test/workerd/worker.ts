import { DurableObject } from "cloudflare:workers";

/** A Durable Object with SQLite and nothing else: the ground that port contracts stand on in workerd. */
export class TestObject extends DurableObject {}

export default { fetch: () => new Response("tests only") };
