import { createApp } from "./app.ts";
import type { Environment } from "./environment.ts";

export { SessionDirectory } from "./session-directory.ts";
export { SessionObject } from "./session-object.ts";

export default {
  fetch: (request, env) => createApp(env).fetch(request),
} satisfies ExportedHandler<Environment>;
