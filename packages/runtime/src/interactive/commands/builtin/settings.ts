import type { HookGroup } from "../../../hooks/definition.ts";
import { visibleText } from "../../../permissions/visible-text.ts";
import type { McpServerStatus } from "../../mcp/mcp-options.ts";
import type { CommandSession } from "../command-session.ts";
import { builtin, counted, done } from "./result.ts";

export const hooks = builtin("hooks", {
  scope: "read",
  execute(session) {
    const config = session.getSettings()?.values.hooks ?? {};
    const found = Object.entries(config).flatMap(
      ([event, groups]: [string, readonly HookGroup[]]) =>
        groups.flatMap(({ matcher = "", hooks: all }) =>
          all.map(({ type }) => ({ event, matcher, type })),
        ),
    );
    if (found.length === 0) return done("There are no hooks.", { hooks: found });
    const lines = found.map(({ event, matcher, type }) => `${event} ${matcher || "*"}  ${type}`);
    return done(lines.join("\n"), { hooks: found });
  },
});

interface Finding {
  check: string;
  ok: boolean;
  message: string;
}

export const doctor = builtin("doctor", {
  scope: "read",
  execute(session, _args, { commands, problems, servers }) {
    const findings: Finding[] = [
      ...(session.getSettings()?.warnings ?? []).map(({ layer, setting, message }) => ({
        check: "settings",
        ok: false,
        message: `${layer}: ${setting} ${message}`,
      })),
      ...problems.map((message) => ({ check: "commands", ok: false, message })),
      ...(servers?.status() ?? []).map(findingOf),
      ...healthOf(session),
      { check: "commands", ok: true, message: counted(commands.length, "command") },
    ];
    const isHealthy = findings.every(({ ok }) => ok);
    const lines = findings.map(
      ({ ok, message }) => `${ok ? "ok  " : "look"}  ${visibleText(message)}`,
    );
    return done(lines.join("\n"), { isHealthy, findings });
  },
});

function findingOf({ name, state, error, notices }: McpServerStatus): Finding {
  const words = [
    `MCP server ${name}: ${state}`,
    ...(error === undefined ? [] : [error]),
    ...notices,
  ];
  const ok = state !== "failed" && notices.length === 0;
  return { check: "mcp", ok, message: words.join("; ") };
}

function healthOf(session: CommandSession): Finding[] {
  const { usedPercentage } = session.getContextState();
  const mode = session.getPermissionMode();
  const { provider, model } = session.getModel();
  return [
    { check: "model", ok: true, message: `Model: ${model} of ${provider}` },
    {
      check: "mode",
      ok: mode !== "bypassPermissions",
      message: `Permission mode: ${mode}`,
    },
    {
      check: "context",
      ok: usedPercentage < 80,
      message: `Context: ${usedPercentage} % used${usedPercentage < 80 ? "" : "; /compact frees some"}`,
    },
    {
      check: "cost",
      ok: session.getCost() !== undefined,
      message:
        session.getCost() === undefined
          ? "The model's prices are unknown, so costs are not shown"
          : "The model's prices are known",
    },
  ];
}
