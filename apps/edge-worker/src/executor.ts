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
  const provider = await chooseProvider(env, "executor");
  return executorHandler(provider, access)(request);
}
