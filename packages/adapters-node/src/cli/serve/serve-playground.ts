import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { ConfigurationError } from "@robota/runtime";
import { Hono } from "hono";
import type { PlaygroundCommand } from "../arguments/commands.ts";
import { onInterrupt } from "../interrupts.ts";
import { type HeaderRule, headersFor, parseHeaderRules } from "./header-rules.ts";
import { startListening } from "./listening.ts";

/**
 * Serves the playground's files until a signal ends it, and resolves to the exit code. A page from this machine reaches the
 * model services and the servers on it without a browser's question.
 * @throws {ConfigurationError} where the playground is not installed, or the port can't be had
 */
export async function servePlayground(command: PlaygroundCommand): Promise<number> {
  const site = findSite();
  const rules = parseHeaderRules(await readFile(`${site}/_headers`, "utf8"));
  const stopped = Promise.withResolvers<void>();
  using interrupts = onInterrupt(() => stopped.resolve());
  const app = staticSite(site, rules);
  const listener = getRequestListener((request) => app.fetch(request));
  // The listener answers failures itself.
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  process.stdout.write(`${await startListening(server, command)}/\n`);
  await stopped.promise;
  server.close();
  server.closeAllConnections();
  return interrupts.exitCode() ?? 0;
}

function staticSite(root: string, rules: readonly HeaderRule[]): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of headersFor(rules, context.req.path))
      context.res.headers.set(name, value);
  });
  app.use(serveStatic({ root }));
  return app;
}

/** The directory of the built page. */
function findSite(): string {
  try {
    return fileURLToPath(
      new URL("dist/site", import.meta.resolve("@robota/playground/package.json")),
    );
  } catch (cause) {
    throw new ConfigurationError("The playground is not installed", {
      hint: "Install it where robota is: npm install --global @robota/playground",
      cause,
    });
  }
}
