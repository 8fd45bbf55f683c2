export { useBackgroundAgents } from "./use-background-agents.ts";
export { useCommands, type UseCommands } from "./use-commands.ts";
export { type ContextUsage, useContextUsage } from "./use-context-usage.ts";
export { useEvents } from "./use-events.ts";
export { useFiles, type UseFiles } from "./use-files.ts";
export { usePermissionRequests, type UsePermissionRequests } from "./use-permission-requests.ts";
export { useQueue, type UseQueue } from "./use-queue.ts";
export { useReadable, useSelected } from "./use-readable.ts";
export { useReplay, type UseReplay } from "./use-replay.ts";
export {
  type SessionActions,
  type UseSessionState,
  useSession,
  type UseSession,
} from "./use-session.ts";
export { useTranscript } from "./use-transcript.ts";
