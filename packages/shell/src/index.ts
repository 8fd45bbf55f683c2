export type { ShellCommand, ShellCommandContext, ShellCommandResult } from "./command.ts";
export type { ScriptLimits, ScriptOptions } from "./commands/js/options.ts";
export { type DescribedShell, describeShell } from "./description.ts";
export type { ExecutionOptions } from "./execution.ts";
export { guardFiles } from "./files/guarded-files.ts";
export type { GitOptions } from "./git/options.ts";
export type { ShellLimits } from "./limits.ts";
export type { VirtualShellOptions } from "./options.ts";
export { createRefusals } from "./refusals.ts";
export {
  createShellSession,
  type ShellSession,
  type ShellState,
  type StatefulShell,
} from "./session.ts";
export type { FromWorker, WorkerPort, ToWorker } from "./worker/protocol.ts";
export { serveShell } from "./worker/serve-shell.ts";
export type { ShellWorker } from "./worker/worker-client.ts";
export { type PooledShell, pooledShell, type PooledShellOptions } from "./worker/pooled-shell.ts";
export { VirtualShell } from "./virtual-shell.ts";
