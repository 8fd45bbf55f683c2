import { work } from "./agent.ts";

export default {
  async fetch(request: Request): Promise<Response> {
    await work(await request.json());
    return new Response(null, { status: 204 });
  },
};
