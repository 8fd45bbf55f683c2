import { ConfigurationError } from "../errors.ts";
import { Session } from "../session/session.ts";
import { createDefaultTools } from "../tools/builtin/default-tools.ts";
import type { InteractiveSessionOptions } from "./interactive-session.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

/** The session of a person at work: the built-in tools, a system prompt, and approvals that wait for an answer. */
export function createSession(options: InteractiveSessionOptions): Session {
  const { platform, provider, cwd = "/", permissionMode } = options;
  if (!platform)
    throw missing("platform", "nodePlatform(), browserPlatform() or edgePlatform(state)");
  if (!provider)
    throw missing("provider", "new OfflineProvider(), or one for a model you have a key for");
  const tools = new Map(
    [...createDefaultTools(platform, cwd), ...(options.tools ?? [])].map((tool) => [
      tool.name,
      tool,
    ]),
  );
  const sessionId = options.forkSession
    ? options.sessionId
    : (options.resumeSessionId ?? options.sessionId);
  const {
    permissions,
    permissionHandler,
    maxTurns,
    providerTimeout,
    contextWindow,
    autoCompactThreshold,
    compactInstructions,
    takeOver,
    sessionStore,
  } = options;
  return new Session({
    platform,
    provider,
    cwd,
    ...(permissionMode === undefined ? {} : { permissionMode }),
    tools: [...tools.values()],
    systemMessage: buildSystemPrompt({
      cwd,
      permissionMode: permissionMode ?? "default",
      tools: [...tools.values()],
      shell: platform.shell.kind,
    }),
    unanswered: "wait",
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(permissionHandler === undefined ? {} : { permissionHandler }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(providerTimeout === undefined ? {} : { providerTimeout }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(autoCompactThreshold === undefined ? {} : { autoCompactThreshold }),
    ...(compactInstructions === undefined ? {} : { compactInstructions }),
    ...(takeOver === undefined ? {} : { takeOver }),
    ...(sessionStore === undefined ? {} : { sessionStore }),
  });
}

function missing(part: string, example: string): ConfigurationError {
  return new ConfigurationError(`A session needs a ${part}`, {
    hint: `Pass { ${part} }: ${example}.`,
  });
}
