import { ConfigurationError } from "../errors.ts";
import { DEFAULT_ALLOW_PATTERNS } from "../permissions/default-rules.ts";
import type { PermissionLists } from "../permissions/permission.ts";
import { Session } from "../session/session.ts";
import { createDefaultTools } from "../tools/builtin/default-tools.ts";
import type { InteractiveSessionOptions } from "./options.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

/** The session of a person at work: the built-in tools, a system prompt, and approvals that wait for an answer. */
export function createSession(options: InteractiveSessionOptions): Session {
  const { platform, provider, cwd = "/", permissionMode = "default" } = options;
  const { session: _, resumeSessionId, forkSession, queueLimit: _limit, ...rest } = options;
  if (!platform)
    throw missing("platform", "nodePlatform(), browserPlatform() or edgePlatform(state)");
  if (!provider)
    throw missing("provider", "new OfflineProvider(), or one for a model you have a key for");
  const all = [...createDefaultTools(platform, cwd), ...(options.tools ?? [])];
  const tools = [...new Map(all.map((tool) => [tool.name, tool])).values()];
  const sessionId = forkSession ? options.sessionId : (resumeSessionId ?? options.sessionId);
  const shell = platform.shell.kind;
  return new Session({
    ...rest,
    permissions: withDefaults(options.permissions),
    platform,
    provider,
    cwd,
    tools,
    systemMessage: buildSystemPrompt({ cwd, permissionMode, tools, shell }),
    unanswered: "wait",
    ...(sessionId === undefined ? {} : { sessionId }),
  });
}

/** What every person's session may look at without asking, as a layer of its own. */
function withDefaults(lists: PermissionLists = {}): PermissionLists {
  const defaults = { name: "default", lists: { allow: DEFAULT_ALLOW_PATTERNS } };
  return { ...lists, layers: [...(lists.layers ?? []), defaults] };
}

function missing(part: string, example: string): ConfigurationError {
  return new ConfigurationError(`A session needs a ${part}`, {
    hint: `Pass { ${part} }: ${example}.`,
  });
}
