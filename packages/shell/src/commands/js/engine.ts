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

/** The response to QuickJS's interrupt check. */
export type InterruptAnswer = "go on" | "end" | "pause";

const answers: Record<InterruptAnswer, number> = { "go on": 0, end: 1, pause: 2 };

/** Passed in place of a runtime when a native loop of QuickJS checks (see `scripts/vendor/loop-rounds.ts`). */
const LOOP = 1;

/** Thrown through QuickJS to end a native loop. The instance can't be entered again. */
export class ScriptEnded extends Error {
  override readonly name = "ScriptEnded";
}

/** Silences a broken QuickJS, whose messages would go to the host's console. */
const silent = { print() {}, printErr() {}, monitorRunDependencies() {} };

/** Memory never shrinks, so an instance that has grown beyond this is not kept for the next script. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** QuickJS, compiled once. */
export interface ScriptEngine {
  /** A QuickJS instance for one script: two that pause in the same one would corrupt each other's stack. */
  take(): Promise<QuickJSWASMModule>;
  /** Keeps it for another script. */
  give(quickjs: QuickJSWASMModule): void;
}

/** @throws {Error} Where WebAssembly can't be compiled from bytes and no module was provided */
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
      "scripts can't run on this host, which can't compile WebAssembly: use awk, sed and jq instead",
      { cause: error },
    );
  }
}

async function unpacked(): Promise<ArrayBuffer> {
  if (packed === undefined) throw new Error("no compiled QuickJS was provided");
  const bytes = fromByteString(atob(packed)).slice();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Lets QuickJS run without interruption from now on: for creating and disposing of a sandbox. */
export function leave(quickjs: QuickJSWASMModule): void {
  Object.assign(quickjs["module"].callbacks, { shouldInterrupt: () => answers["go on"] });
}

/** An entry into the sandbox from which QuickJS can pause. */
export interface Entrance {
  /** Calls a function of the sandbox. Its result is dropped; its exception is returned. */
  call(
    method: QuickJSHandle,
    self: QuickJSHandle,
    ...args: QuickJSHandle[]
  ): Promise<QuickJSHandle | undefined>;
  /** Runs pending jobs, at most `most` of them. Returns the exception that ended one. */
  runJobs(most: number): Promise<QuickJSHandle | undefined>;
}

type ValuePointer = ReturnType<ReturnType<QuickJSWASMModule["getFFI"]>["QTS_Call"]>;
type Export = (...args: number[]) => number | Promise<number>;

/** Makes `export` suspendable, or returns it unchanged on hosts that suspend nothing. */
function suspendable(run: Export): Export {
  const promising: unknown = Reflect.get(WebAssembly, "promising");
  return typeof promising === "function" ? promising(run) : run;
}

/** True if a script can pause on this host: V8 supports it since 2025, and others will. */
export const canPause = typeof Reflect.get(WebAssembly, "promising") === "function";

/**
 * Enters `vm`. During a call, `ask` is called every few thousand steps of the script and, from native loops, every
 * 200,000 iterations of QuickJS's own loops; `wait` is called when the response was a pause. A call that does not end
 * after two responses to end rejects with `ScriptEnded`.
 */
export function createEntrance(
  quickjs: QuickJSWASMModule,
  vm: QuickJSContext,
  ask: (isLoop: boolean) => InterruptAnswer,
  wait: () => Promise<"go on" | "end">,
): Entrance {
  // The library's API calls without a way to wait, so this goes one level below it.
  const { module, ffi } = { module: quickjs["module"], ffi: quickjs.getFFI() };
  const context = vm["ctx"].value;
  const runtime = vm["rt"].value;
  const memory = vm["memory"];
  let isToldToEnd = false;
  const answer = (isLoop: boolean): number => {
    const word = ask(isLoop);
    // A script can be interrupted cleanly, after which QuickJS can run others; a native loop is ended by force.
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
      // Skipped when the call was ended by force: the instance can't be entered.
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
      // A number of jobs, or the exception of one.
      if (vm.typeof(answer) !== "number") return answer;
      answer.dispose();
      return undefined;
    },
  };
}
