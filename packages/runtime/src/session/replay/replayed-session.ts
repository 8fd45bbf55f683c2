import type { RunMeter } from "../../agent/budget.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Tool } from "../../tools/tool.ts";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import type { SessionCore } from "../core.ts";
import { createCore } from "../create-core.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import type { PermissionHandler } from "../approvals/approvals.ts";
import type { SessionOptions } from "../options.ts";
import { ProducedEvents } from "./produced-events.ts";
import { damageIn } from "./recording.ts";
import { answerOf } from "./facts.ts";
import { recordedHooks } from "./recorded-hooks.ts";
import { recordedEvaluator } from "./recorded-evaluator.ts";
import { errorOf, recordedPlugin } from "./recorded-plugin.ts";
import { RecordedProvider } from "./recorded-provider.ts";
import { followRecordedRoom, recordedWindow } from "./context-replay.ts";
import { type Busy, recordedAnswers, recordedTool, runningTool } from "./recorded-tools.ts";
import { replayPlatform } from "./replay-platform.ts";
import type { Script } from "./recorded-calls.ts";
import { REPORT } from "./texts.ts";

/** Far above what any session holds: the record tells when room was made. */
const UNBOUNDED = 1e12;

export interface StageOptions {
  init: SessionEventOf<"session_init"> | undefined;
  /** Tools that run, and what they run on; the others have the results of the record. */
  running: { tools: readonly Tool[]; platform: Platform } | undefined;
  busy: Busy;
  steer: (texts: readonly string[]) => void;
}

/** A session's parts as they are, and around them what the record says of the world. */
export function createStage(script: Script, options: StageOptions): SessionCore {
  const { init, running } = options;
  const storage = new MemoryStorage();
  const { toldAtStart } = script;
  const handler = handlerOf(script);
  const sessionOptions: SessionOptions = {
    platform: replayPlatform(script, storage, running?.platform),
    provider: new RecordedProvider(script, init, options.steer),
    tools: (init?.tools ?? []).map((name) => toolOf(script, name, options)),
    sessionId: script.sessionId,
    systemMessage: init?.systemMessage ?? "",
    projectInstructions: init?.projectInstructions ?? "",
    cwd: init?.cwd ?? "/",
    ...modeOf(script),
    ...(handler ? { permissionHandler: handler } : {}),
    unanswered: decidedBy(script, "default") ? "deny" : "wait",
    plugins: [recordedPlugin(script)],
    contextWindow: recordedWindow(script) ?? UNBOUNDED,
    trackFiles: false,
    // What it takes down is in the script.
    keep: false,
  };
  const core = createCore(sessionOptions, {
    hooks: recordedHooks(script, { runsTools: running !== undefined }),
    evaluator: recordedEvaluator(script),
    recordedAnswer: recordedAnswers(script),
    stored: new ProducedEvents(script.produced, damageIn(toldAtStart.damage)),
    onNumbered: (event, isTransient) => {
      if (!isTransient) script.perform(event);
    },
  });
  // A session that has lost its beginning begins in the mode that it was opened with.
  if (toldAtStart.init) core.state.mode = toldAtStart.init.permissionMode;
  followRecordedRoom(script, core.requestContext.tracker);
  return { ...core, hasStorage: true, newMeter: () => refusingAsRecorded(script, core.newMeter()) };
}

function toolOf(script: Script, name: string, { running, busy }: StageOptions): Tool {
  const tool = running?.tools.find((candidate) => candidate.name === name);
  return tool ? runningTool(script, tool, busy) : recordedTool(script, name);
}

/** The mode that the session was opened with, where opening it has told so. */
function modeOf(script: Script): Pick<SessionOptions, "permissionMode"> {
  const first = script.lifeStart;
  if (first?.type !== "session_resume") {
    const init = script.findOf("session_init");
    return init ? { permissionMode: init.permissionMode } : {};
  }
  const next = script.find(
    ({ type }) => type !== "session_resume" && type !== "session_init" && type !== "note",
  );
  const changed = next === undefined ? undefined : script.at(next);
  return first.cut && changed?.type === "mode_change" ? { permissionMode: changed.mode } : {};
}

function decidedBy(script: Script, by: "handler" | "default"): boolean {
  return script.findOf("permission_decision", ({ decision }) => decision.by === by) !== undefined;
}

/** Answers as the program's handler answered. */
function handlerOf(script: Script): PermissionHandler | undefined {
  if (!decidedBy(script, "handler")) return undefined;
  return async (_tool, _args, { toolCallId }) => {
    const isDecision = (event: SessionEvent): boolean =>
      event.type === "permission_decision" && event.toolCallId === toolCallId;
    const index = script.find(isDecision);
    await script.due(index);
    const decided = index === undefined ? undefined : script.at(index);
    return decided?.type === "permission_decision" && answerOf(decided.decision);
  };
}

/** A budget is spent when the record says so. */
function refusingAsRecorded(script: Script, meter: RunMeter): RunMeter {
  return Object.assign(meter, {
    refusal: () => {
      const next = script.peek();
      if (next?.type !== "assistant_message" || !next.message.error) return undefined;
      const { content, error } = next.message;
      if (content !== `${REPORT}${error.message}`) return undefined;
      const end = script.findOf("turn_end")?.error;
      return errorOf(end?.message === error.message ? end : error);
    },
  } satisfies Partial<RunMeter>);
}
