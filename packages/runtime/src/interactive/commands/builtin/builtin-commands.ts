import { BUILTIN, type BuiltinName } from "../builtin-list.ts";
import type { Command } from "../command.ts";
import { exportSession, fork, rewind } from "./checkpoints.ts";
import { language, mode, model } from "./choices.ts";
import { clear, compact, exit, rename, reset, resume } from "./conversation.ts";
import { agents, context, cost, help, reloadPlugins, skills } from "./overview.ts";
import { plugins } from "./plugins.ts";
import { permissions } from "./permissions.ts";
import { mcp } from "./mcp.ts";
import { doctor, hooks } from "./settings.ts";
import { trust } from "./trust.ts";

const BY_NAME: Readonly<Record<BuiltinName, Command>> = {
  help,
  clear,
  compact,
  mode,
  model,
  language,
  cost,
  context,
  permissions,
  resume,
  rename,
  reset,
  rewind,
  fork,
  export: exportSession,
  agents,
  skills,
  hooks,
  mcp,
  plugins,
  "reload-plugins": reloadPlugins,
  trust,
  doctor,
  exit,
};

/** The built-in commands, in the order of their list. */
export const BUILTIN_COMMANDS: readonly Command[] = Object.keys(BUILTIN).flatMap(
  (name) => BY_NAME[name as BuiltinName],
);
