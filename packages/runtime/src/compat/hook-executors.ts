import type { EgressPolicy } from "../network/policy.ts";
import type { AgentHook, CommandHook, HttpHook, PromptHook } from "../hooks/definition.ts";
import type { HookInput } from "../hooks/events.ts";
import type { HookContext, HookTypeExecutor } from "../hooks/executor.ts";
import { agentExecutor, type RunHookAgent } from "../hooks/executors/agent.ts";
import { commandExecutor } from "../hooks/executors/command.ts";
import { httpExecutor } from "../hooks/executors/http.ts";
import { type AskModel, promptExecutor } from "../hooks/executors/prompt.ts";
import type { HookResult } from "../hooks/result.ts";
import type { Platform } from "../ports/platform.ts";

/** Runs hooks that are command lines, in the shell of a platform. */
export class CommandExecutor implements HookTypeExecutor<CommandHook> {
  readonly type = "command";
  readonly #executor: HookTypeExecutor<CommandHook>;

  constructor({ shell }: Pick<Platform, "shell">) {
    this.#executor = commandExecutor(shell);
  }

  execute(hook: CommandHook, input: HookInput, context?: HookContext): Promise<HookResult> {
    return this.#executor.execute(hook, input, context ?? contextOf(input));
  }
}

/**
 * Sends the input of hooks to their addresses over a platform's network: addresses of the public internet, and private
 * ones in `egress.allowPrivateOrigins`.
 */
export class HttpExecutor implements HookTypeExecutor<HttpHook> {
  readonly type = "http";
  readonly #executor: HookTypeExecutor<HttpHook>;

  constructor(
    platform: Pick<Platform, "fetch" | "pinnedFetch">,
    { egress }: { egress?: EgressPolicy } = {},
  ) {
    this.#executor = httpExecutor(platform, egress);
  }

  execute(hook: HttpHook, input: HookInput, context?: HookContext): Promise<HookResult> {
    return this.#executor.execute(hook, input, context ?? contextOf(input));
  }
}

/** Adds the text of prompt hooks to the model's context; `ask` answers hooks that judge. */
export class PromptExecutor implements HookTypeExecutor<PromptHook> {
  readonly type = "prompt";
  readonly #executor: HookTypeExecutor<PromptHook>;

  constructor({ ask }: { ask?: AskModel } = {}) {
    this.#executor = promptExecutor(ask);
  }

  execute(hook: PromptHook, input: HookInput, context?: HookContext): Promise<HookResult> {
    return this.#executor.execute(hook, input, context ?? contextOf(input));
  }
}

/** Runs hooks of type `agent`. */
export class AgentExecutor implements HookTypeExecutor<AgentHook> {
  readonly type = "agent";
  readonly #executor: HookTypeExecutor<AgentHook>;

  constructor({ runAgent }: { runAgent: RunHookAgent }) {
    this.#executor = agentExecutor(runAgent);
  }

  execute(hook: AgentHook, input: HookInput, context?: HookContext): Promise<HookResult> {
    return this.#executor.execute(hook, input, context ?? contextOf(input));
  }
}

/** Context for callers that bypass `runHooks`, and so its time limit. */
function contextOf({ cwd }: HookInput): HookContext {
  return { signal: new AbortController().signal, projectDir: cwd };
}
