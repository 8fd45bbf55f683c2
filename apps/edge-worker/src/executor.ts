import { executorHandler, type TokenTable } from "@robota/runtime/transports";
import type { Environment } from "./environment.ts";
import { chooseProvider, countedProvider } from "./provider.ts";
import type { SessionDirectory } from "./session-directory.ts";
import { readOperatorSettings } from "./settings.ts";
import { countingDirectory } from "./usage.ts";

/** Path of the worker's provider for `SimpleRemoteExecutor`. */
export const EXECUTOR_PATH = "/v1/executor";

/**
 * Lets callers with a token use the worker's model from elsewhere, without its key. Never open to anonymous callers.
 */
export async function execute(
  request: Request,
  env: Environment,
  access: { tokens: TokenTable; allowedOrigins: string[] },
): Promise<Response> {
  const { model, usage } = await readOperatorSettings(env);
  const provider = await chooseProvider(env, "executor", model);
  const directoryOf = (owner: string): DurableObjectStub<SessionDirectory> =>
    countingDirectory(env.DIRECTORIES, { owner });
  const handle = executorHandler(provider, {
    ...access,
    countRequest: async (owner, { spends }) => directoryOf(owner).countRequest(usage, spends),
    providerFor: ({ owner }) => countedProvider(provider, directoryOf(owner), usage),
  });
  return handle(request);
}
