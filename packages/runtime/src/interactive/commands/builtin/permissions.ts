import type { ToolArgs } from "../../../messages/message.ts";
import { parsePattern } from "../../../permissions/rules/parse-pattern.ts";
import { declared } from "../../../permissions/rules/tool-facts.ts";
import { builtin, done, refused, sub } from "./result.ts";

const explain = sub("explain", "Explain the decision on a call", {
  argumentHint: "<call>",
  async execute(session, args) {
    const call = parseCall(args);
    if (!call) return refused("Give a call: /permissions explain Tool(argument)");
    // Loads what explains, which may wait for the first call of a tool.
    await session.getPermissionRules();
    const explained = session.explain(call.tool, call.args);
    const { decision, reason, rule, layer } = explained;
    const from = layer === undefined ? "" : ` of ${layer}`;
    const by = rule === undefined ? "" : `\nRule: ${rule}${from}`;
    return done(`${DECISIONS[decision]}. ${reason}${by}`, { ...call, ...explained });
  },
});

const DECISIONS = { auto: "Runs without asking", approve: "Asks first", deny: "Is denied" };

const revoke = sub("revoke", "Take back what was allowed for the session or the workspace", {
  argumentHint: "<pattern>",
  scope: "privilege",
  complete: (session, args) =>
    args === ""
      ? session.getSessionAllowedTools().map((value) => ({ value, description: "Allowed" }))
      : [],
  async execute(session, args) {
    const pattern = args.trim();
    if (!parsePattern(pattern)) return refused("Give a rule: /permissions revoke <pattern>");
    const wasAllowed = session.getSessionAllowedTools().includes(pattern);
    // A rule of the workspace is not among those of the session.
    await session.revokePermission(pattern);
    const allowed = session.getSessionAllowedTools();
    const message = wasAllowed
      ? `Revoked: ${pattern}`
      : `${pattern} was not allowed in this session; it is not allowed in the workspace either.`;
    return done(message, { pattern, wasAllowed, allowed });
  },
});

export const permissions = builtin("permissions", {
  argumentHint: "[explain <call> | revoke <pattern>]",
  scope: "read",
  subcommands: [explain, revoke],
  execute(session, args) {
    if (args.trim() !== "")
      return refused(
        "Use /permissions, /permissions explain <call> or /permissions revoke <pattern>",
      );
    const allowed = session.getSessionAllowedTools();
    const mode = session.getPermissionMode();
    const list = allowed.length > 0 ? allowed.join(", ") : "nothing yet";
    return done(`Mode: ${mode}\nAllowed in this session: ${list}`, { mode, allowed });
  },
});

/** A call as people write it: `Tool(argument)`, `Tool argument`, or `Tool {"name": "value"}`. */
function parseCall(text: string): { tool: string; args: ToolArgs } | undefined {
  const [, tool = "", rest = ""] = /^([\w.:-]+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  if (tool === "") return undefined;
  if (rest === "") return { tool, args: {} };
  if (rest.startsWith("{")) {
    const args = parseObject(rest);
    return args && { tool, args };
  }
  const [, inner = rest] = /^\(([\s\S]*)\)$/.exec(rest) ?? [];
  const { patternArgument } = declared({ name: tool });
  return patternArgument === undefined ? undefined : { tool, args: { [patternArgument]: inner } };
}

function parseObject(text: string): ToolArgs | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
