import { executorHandler } from "@robota/runtime/transports";
import type { Environment } from "./environment.ts";
import { chooseProvider } from "./provider.ts";

/** Path of the worker's provider for `SimpleRemoteExecutor`. */
export const EXECUTOR_PATH = "/v1/executor";

/**
 * Lets callers with a token use the worker's model from elsewhere, without its key. Never open to anonymous callers.
 */
export async function execute(
  request: Request,
  env: Environment,
  access: { tokens: Record<string, string>; allowedOrigins: string[] },
): Promise<Response> {
  const provider = await chooseProvider(env, "executor");
  return executorHandler(provider, access)(request);
}
