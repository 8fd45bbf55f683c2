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
    const variant = newVariant(glue, { wasmModule: compiled });
    let idle: QuickJSWASMModule | undefined = await newQuickJSWASMModuleFromVariant(variant);
    return {
      async take() {
        const quickjs = idle;
        idle = undefined;
        return quickjs ?? (await newQuickJSWASMModuleFromVariant(variant));
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
 * Enters `vm`. While a call is under way, `ask` is called every few thousand steps, and `wait` when its answer was a pause.
 */
export function createEntrance(
  quickjs: QuickJSWASMModule,
  vm: QuickJSContext,
  ask: () => Answer,
  wait: () => Promise<"go on" | "end">,
): Entrance {
  // What the library offers calls without a chance to wait, so this goes one step below it.
  const { module, ffi } = { module: quickjs["module"], ffi: quickjs.getFFI() };
  const context = vm["ctx"].value;
  const runtime = vm["rt"].value;
  const memory = vm["memory"];
  Object.assign(module.callbacks, {
    shouldInterrupt: () => answers[ask()],
    pause: async () => answers[await wait()],
  });
  ffi.QTS_RuntimeEnableInterruptHandler(runtime);
  const exported = (name: string, parameters: number): Export =>
    suspendable(module.cwrap(name, "number", Array<"number">(parameters).fill("number")));
  const callExport = exported("QTS_Call", 5);
  const runExport = exported("QTS_ExecutePendingJob", 3);
  return {
    async call(method, self, ...args) {
      using list = memory.toPointerArray(args);
      const answer = (await callExport(
        context,
        method.value,
        self.value,
        args.length,
        list.value,
      )) as ValuePointer;
      using _answer = memory.heapValueHandle(answer);
      const thrown = ffi.QTS_ResolveException(context, answer);
      return thrown ? memory.heapValueHandle(thrown) : undefined;
    },
    async runJobs(most) {
      using last = memory.newMutablePointerArray(1);
      const pointer = (await runExport(runtime, most, last.value.ptr)) as ValuePointer;
      const answer = memory.heapValueHandle(pointer);
      // A number of jobs, or what ended one.
      if (vm.typeof(answer) !== "number") return answer;
      answer.dispose();
      return undefined;
    },
  };
}
