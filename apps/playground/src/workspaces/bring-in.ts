import {
  browserPlatform,
  type DroppedItems,
  droppedSource,
  type WorkspaceInfo,
} from "@robota/adapters-web";
import { RobotaError } from "@robota/runtime";
import { importFiles, type ImportResult, type ImportSource } from "@robota/runtime/virtual";
import { WORKSPACE_ROOT } from "../constants.ts";
import type { AgentHost } from "../agent-host.ts";
import { createCell } from "@robota/react/store";
import { formatBytes } from "../ui/format.ts";

export type BringIn =
  | { kind: "idle" }
  | { kind: "running"; entries: number; bytes: number; stop: () => void }
  | {
      kind: "done";
      text: string;
      skipped: ImportResult["skipped"];
      made: WorkspaceInfo | undefined;
    }
  | { kind: "failed"; text: string; hint: string };

/** One import at a time; it continues when its dialog is closed. */
export const bringIn = createCell<BringIn>({ kind: "idle" });

export interface BringInOptions {
  host: AgentHost;
  source: Promise<ImportSource | undefined>;
  /** Name of the new workspace that it becomes; without one it goes into the open one. */
  as: string | undefined;
  withoutModules: boolean;
}

const isModules = (path: string): boolean => /(?:^|\/)node_modules$/.test(path);
/** Render interval of the progress, in milliseconds. */
const DRAW_MS = 100;

/** Imports files and reports progress through `bringIn`; never rejects. */
export async function start(options: BringInOptions): Promise<void> {
  if (bringIn.get().kind === "running") return;
  const former = bringIn.get();
  const controller = new AbortController();
  let drawn = 0;
  const stop = () => controller.abort();
  const show = (progress: { entries: number; bytes: number }): void => {
    if (Date.now() - drawn < DRAW_MS) return;
    drawn = Date.now();
    bringIn.set({ kind: "running", ...progress, stop });
  };
  try {
    const source = await options.source;
    // The person wanted none after all.
    if (!source) return bringIn.set(former);
    show({ entries: 0, bytes: 0 });
    const { made, ...result } = await take(source, options, {
      leavesOut: options.withoutModules ? isModules : () => false,
      onProgress: show,
      signal: controller.signal,
    });
    const count = `${result.files} ${result.files === 1 ? "file" : "files"}`;
    const where = made ? `the new workspace “${made.name}”` : result.paths.map(shown).join(", ");
    const text = `Imported ${count} (${formatBytes(result.bytes)}) as ${where || "nothing"}.`;
    bringIn.set({ kind: "done", text, skipped: result.skipped, made });
  } catch (error) {
    if (controller.signal.aborted) {
      bringIn.set({ kind: "failed", text: "Stopped. Nothing was imported.", hint: "" });
      return;
    }
    const text = error instanceof Error ? error.message : String(error);
    const hint = error instanceof RobotaError ? error.hint : "";
    bringIn.set({ kind: "failed", text: `Nothing was imported: ${text}.`, hint });
  }
}

/** Imports dropped files into the open workspace. */
export function startDropped(host: AgentHost, transfer: DroppedItems): void {
  void start({ host, source: droppedSource(transfer), as: undefined, withoutModules: true });
}

type TakeOptions = Pick<Parameters<typeof importFiles>[2], "leavesOut" | "onProgress" | "signal">;

async function take(
  source: ImportSource,
  { host, as }: BringInOptions,
  options: TakeOptions,
): Promise<ImportResult & { made?: WorkspaceInfo }> {
  if (as === undefined) return importFiles(host, source, { ...options, into: WORKSPACE_ROOT });
  const workspaces = await host.workspaces();
  const made = await workspaces.create(as);
  try {
    await using platform = browserPlatform({ workspace: made.id });
    return { ...(await importFiles(platform, source, { ...options, as: WORKSPACE_ROOT })), made };
  } catch (error) {
    await workspaces.delete(made.id);
    throw error;
  }
}

function shown(path: string): string {
  return path.startsWith(`${WORKSPACE_ROOT}/`) ? path.slice(WORKSPACE_ROOT.length + 1) : path;
}
