import { executorHandler } from "@robota/runtime/transports";
import type { Environment } from "./environment.ts";
import { chooseProvider } from "./provider.ts";

/** Where `SimpleRemoteExecutor` finds the worker's provider. */
export const EXECUTOR_PATH = "/v1/executor";

/** Lets those who have a token use the worker's model from elsewhere, without its key. Nobody else, whatever is open. */
export async function execute(
  request: Request,
  env: Environment,
  access: { tokens: Record<string, string>; allowedOrigins: string[] },
): Promise<Response> {
  const variables = new Map<string, unknown>(Object.entries(env));
  const provider = await chooseProvider(
    {
      env(name) {
        const value = variables.get(name);
        return typeof value === "string" ? value : undefined;
      },
      // A worker's `fetch` refuses to be called as somebody's method.
      fetch: (input, init) => fetch(input, init),
      now: () => Date.now(),
      randomUUID: () => crypto.randomUUID(),
    },
    "executor",
  );
  return executorHandler(provider, access)(request);
}
