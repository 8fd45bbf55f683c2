import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import glue, { packed } from "#quickjs";
import { fromByteString } from "../../bytes.ts";
import type { ScriptOptions } from "./options.ts";

/** What a script hears when QuickJS asks whether it has to end. */
export type Answer = "go on" | "end" | "pause";

const answers: Record<Answer, number> = { "go on": 0, end: 1, pause: 2 };

/** In place of a runtime, when a loop of QuickJS itself asks (see `scripts/vendor/loop-rounds.ts`). */
const LOOP = 1;

/** Thrown through QuickJS to end a loop of its own. It can't be entered any more then. */
export class ScriptEnded extends Error {
  override readonly name = "ScriptEnded";
}

/** A broken QuickJS would tell the host's console, which is nobody's who runs a script. */
const silent = { print() {}, printErr() {}, monitorRunDependencies() {} };

/** Memory is never given back, so one that has grown beyond this is not kept for the next script. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** QuickJS, compiled once. */
export interface ScriptEngine {
  /** A QuickJS for one script: two that pause in the same one would spoil each other's stack. */
  take(): Promise<QuickJSWASMModule>;
  /** Keeps it for another script. */
  give(quickjs: QuickJSWASMModule): void;
}

/** @throws {Error} Where WebAssembly can't be compiled from bytes and no module was handed over */
export async function loadEngine({ wasm }: ScriptOptions): Promise<ScriptEngine> {
  try {
    const compiled = wasm ?? (await WebAssembly.compile(await unpacked()));
    const variant = newVariant(glue, { wasmModule: compiled, emscriptenModule: silent });
    const make = async (): Promise<QuickJSWASMModule> => {
      const quickjs = await newQuickJSWASMModuleFromVariant(variant);
      leave(quickjs);
      return quickjs;
    };
    let idle: QuickJSWASMModule | undefined = await make();
    return {
      async take() {
        const quickjs = idle;
        idle = undefined;
        return quickjs ?? (await make());
      },
      give(quickjs) {
        if (quickjs.getWasmMemory().buffer.byteLength <= KEPT_BYTES) idle = quickjs;
      },
    };
  } catch (error) {
    throw new Error(
      "scripts can't run on this host, which compiles no WebAssembly: use awk, sed and jq instead",
      { cause: error },
    );
  }
}

async function unpacked(): Promise<ArrayBuffer> {
  if (packed === undefined) throw new Error("no compiled QuickJS was handed over");
  const bytes = fromByteString(atob(packed)).slice();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Lets what QuickJS computes from now on run to its end: what makes a sandbox and what clears it away. */
export function leave(quickjs: QuickJSWASMModule): void {
  Object.assign(quickjs["module"].callbacks, { shouldInterrupt: () => answers["go on"] });
}

/** A way into the sandbox from which QuickJS can pause. */
export interface Entrance {
  /** Calls a function of the sandbox. What it answers is dropped; what it throws is handed back. */
  call(
    method: QuickJSHandle,
    self: QuickJSHandle,
    ...args: QuickJSHandle[]
  ): Promise<QuickJSHandle | undefined>;
  /** Runs what waits for promises, so many of it at most. What ends it is handed back. */
  runJobs(most: number): Promise<QuickJSHandle | undefined>;
}

type ValuePointer = ReturnType<ReturnType<QuickJSWASMModule["getFFI"]>["QTS_Call"]>;
type Export = (...args: number[]) => number | Promise<number>;

/** `export` as one that may be suspended, or as it is on hosts that suspend nothing. */
function suspendable(run: Export): Export {
  const promising: unknown = Reflect.get(WebAssembly, "promising");
  return typeof promising === "function" ? promising(run) : run;
}

/** Whether a script can pause on this host: V8 has it since 2025, and others will. */
export const canPause = typeof Reflect.get(WebAssembly, "promising") === "function";

/**
 * Enters `vm`. While a call is under way, `ask` is called every few thousand steps of the script and, as a question of a
 * loop, every 200,000 rounds of the loops of QuickJS itself; `wait` is called when its answer was a pause. A call to which
 * the answer was twice in a row that it has to end, and that did not, rejects with `ScriptEnded`.
 */
export function createEntrance(
  quickjs: QuickJSWASMModule,
  vm: QuickJSContext,
  ask: (isLoop: boolean) => Answer,
  wait: () => Promise<"go on" | "end">,
): Entrance {
  // What the library offers calls without a chance to wait, so this goes one step below it.
  const { module, ffi } = { module: quickjs["module"], ffi: quickjs.getFFI() };
  const context = vm["ctx"].value;
  const runtime = vm["rt"].value;
  const memory = vm["memory"];
  let isToldToEnd = false;
  const answer = (isLoop: boolean): number => {
    const word = ask(isLoop);
    // A script has an end of its own, after which QuickJS can run others; what can't is ended by force.
    if (word === "end" && isLoop && isToldToEnd) throw new ScriptEnded();
    isToldToEnd = word === "end";
    return word === "end" && isLoop ? answers["go on"] : answers[word];
  };
  Object.assign(module.callbacks, {
    shouldInterrupt: (_asyncify: undefined, runtime: number) => answer(runtime === LOOP),
    pause: async () => answers[await wait()],
  });
  ffi.QTS_RuntimeEnableInterruptHandler(runtime);
  const exported = (name: string, parameters: number): Export =>
    suspendable(module.cwrap(name, "number", Array<"number">(parameters).fill("number")));
  const callExport = exported("QTS_Call", 5);
  const runExport = exported("QTS_ExecutePendingJob", 3);
  return {
    async call(method, self, ...args) {
      const list = memory.toPointerArray(args);
      const answer = (await callExport(
        context,
        method.value,
        self.value,
        args.length,
        list.value,
      )) as ValuePointer;
      // Not when the call was ended by force: there is nothing to give back to.
      list.dispose();
      using _answer = memory.heapValueHandle(answer);
      const thrown = ffi.QTS_ResolveException(context, answer);
      return thrown ? memory.heapValueHandle(thrown) : undefined;
    },
    async runJobs(most) {
      const last = memory.newMutablePointerArray(1);
      const pointer = (await runExport(runtime, most, last.value.ptr)) as ValuePointer;
      last.dispose();
      const answer = memory.heapValueHandle(pointer);
      // A number of jobs, or what ended one.
      if (vm.typeof(answer) !== "number") return answer;
      answer.dispose();
      return undefined;
    },
  };
}
