import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
  Scope,
} from "quickjs-emscripten-core";
import { decodeText, encodeText, errorMessage, FileSystemError } from "@robota/runtime/ports";
import { fromByteString, toByteString } from "../../bytes.ts";
import type { ShellCommandContext } from "../../command.ts";
import { createClock } from "./clock.ts";
import { canPause, createEntrance, leave, type ScriptEngine, ScriptEnded } from "./engine.ts";
import { refused, scriptFiles } from "./files.ts";
import type { ScriptOptions } from "./options.ts";
import { prelude } from "./prelude.ts";
import { resolveModule } from "./resolve.ts";
import type { Snapshot } from "./snapshot.ts";
import { toScript } from "./transform.ts";

/** Bytes of the sandbox's own stack: deeper recursion is an error of the script, not of the host. */
const STACK_BYTES = 256 * 1024;
const JOBS_PER_TURN = 500;
/**
 * What the steps of a script are taken to last on hosts whose clock stands still while code runs: 10,000 calls and rounds of
 * loops, after which QuickJS asks,
 */
const STEPS_MS = 0.1;
/** 200,000 rounds of the loops of QuickJS itself, after which those ask, */
const ROUNDS_MS = 1;
/** and a call of this file, with the bytes that it takes and gives. */
const CALL_MS = 0.002;
const BYTES_PER_MS = 1_000_000;
/** Changes of files that are waited for before a script goes on, where it can pause. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export interface ScriptResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  tests: { tests: number; pass: number; fail: number; skipped: number };
}

export interface Script {
  /** The file to run; its text is in the snapshot. */
  path: string;
  argv: readonly string[];
  stdin: Uint8Array;
  snapshot: Snapshot;
}

/** Runs one script in a sandbox of its own. Nothing is left of it but its output and what it wrote. */
export async function runScript(
  engine: ScriptEngine,
  context: ShellCommandContext,
  script: Script,
  options: ScriptOptions,
): Promise<ScriptResult> {
  const quickjs = await engine.take();
  const scope = new Scope();
  const { result, isBroken } = await runIn(quickjs, scope, context, script, options);
  // One in which a script was ended by force, or by a fault of WebAssembly, is left as it is and not used again.
  if (!isBroken && isCleared(quickjs, scope)) engine.give(quickjs);
  return result;
}

/** Whether nothing is left of a script. */
function isCleared(quickjs: QuickJSWASMModule, scope: Scope): boolean {
  leave(quickjs);
  try {
    scope.dispose();
    return true;
  } catch {
    // QuickJS aborts where its counts don't add up, as they may not after its memory was used up.
    return false;
  }
}

async function runIn(
  quickjs: QuickJSWASMModule,
  scope: Scope,
  context: ShellCommandContext,
  { path, argv, stdin, snapshot }: Script,
  { timeMs = 5_000, memoryBytes = 64 * 1024 * 1024 }: ScriptOptions,
): Promise<{ result: ScriptResult; isBroken: boolean }> {
  const result: ScriptResult = {
    stdout: "",
    stderr: "",
    exitCode: 0,
    tests: { tests: 0, pass: 0, fail: 0, skipped: 0 },
  };
  let isBroken = false;
  const started = performance.now();
  const timers = new Map<number, number>();
  let exit: number | undefined;
  let clock = createClock();
  /** To make the sandbox is no work of the script. */
  let hasBegun = false;
  const mustEnd = (): boolean =>
    hasBegun && (exit !== undefined || context.isOver() || clock.computed() > timeMs);
  const runtime = scope.manage(quickjs.newRuntime());
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  const vm = scope.manage(runtime.newContext());
  /** Whether the sandbox may pause: not while it waits for a function of this file. */
  let isEntered = false;
  const entrance = createEntrance(
    quickjs,
    vm,
    (isLoop) => {
      clock.count(isLoop ? ROUNDS_MS : STEPS_MS);
      if (mustEnd()) return "end";
      const wantsPause = clock.isTurnOver() || files.waitingBytes > MAX_WAITING_BYTES;
      return canPause && isEntered && wantsPause ? "pause" : "go on";
    },
    async () => {
      await waiting(async () => {
        await makeChanges();
        await new Promise((resolve) => setTimeout(resolve, 0));
      });
      return mustEnd() ? "end" : "go on";
    },
  );
  const waiting = async (wait: () => Promise<void>): Promise<void> => {
    clock.stop();
    await wait();
    clock.start();
  };
  const makeChanges = async (): Promise<void> => {
    const failure = await flush(snapshot);
    if (failure === undefined) return;
    result.stderr += failure;
    exit ??= 1;
  };
  const files = scriptFiles(context.fs, snapshot, memoryBytes);
  const print = (stream: "stdout" | "stderr", text: string): void => {
    result[stream] += text;
    if (result.stdout.length + result.stderr.length <= context.mostCharacters) return;
    result.stderr += `js: more than ${context.mostCharacters} characters of output\n`;
    exit ??= 126;
  };

  const calls: Record<
    string,
    (...args: QuickJSHandle[]) => string | number | Uint8Array | undefined
  > = {
    print: (stream, text) => {
      print(vm.getString(stream!) === "stderr" ? "stderr" : "stdout", vm.getString(text!));
      return undefined;
    },
    now: () => performance.now() - started,
    timer: (id, ms) => void timers.set(vm.getNumber(id!), performance.now() + vm.getNumber(ms!)),
    clear: (id) => void timers.delete(vm.getNumber(id!)),
    exit: (code) => void (exit ??= vm.getNumber(code!)),
    tests: (...counts) => {
      const [tests = 0, pass = 0, fail = 0, skipped = 0] = counts.map((count) =>
        vm.getNumber(count),
      );
      result.tests = { tests, pass, fail, skipped };
      return undefined;
    },
    encode: (text) => encodeText(vm.getString(text!)),
    decode: (bytes) => decodeText(bytesOf(vm, bytes!)),
    atob: (text) =>
      toByteString(
        fromByteString(atob(vm.getString(text!).replaceAll("-", "+").replaceAll("_", "/"))),
      ),
    btoa: (text) => btoa(vm.getString(text!)),
    open: (name) => {
      const place = vm.getString(name!);
      return place === "/dev/stdin" ? stdin : files.read(place);
    },
    stat: (name) => files.stat(vm.getString(name!)),
    scandir: (name) => files.list(vm.getString(name!)),
    write: (name, data) => files.write(vm.getString(name!), bytesOf(vm, data!), false),
    append: (name, data) => files.write(vm.getString(name!), bytesOf(vm, data!), true),
    mkdir: (name, recursive) =>
      files.makeDirectory(vm.getString(name!), vm.getNumber(recursive!) === 1),
    rm: (name, kind, force) =>
      files.remove(
        vm.getString(name!),
        (["file", "tree", "directory"] as const)[vm.getNumber(kind!)] ?? "file",
        vm.getNumber(force!) === 1,
      ),
    rename: (from, to) => files.rename(vm.getString(from!), vm.getString(to!)),
    chmod: (name, mode) => files.chmod(vm.getString(name!), vm.getNumber(mode!)),
    resolve: (from, name) => resolveModule(snapshot, vm.getString(from!), vm.getString(name!)),
    script: (name) => {
      const place = vm.getString(name!);
      const bytes = files.read(place);
      if (typeof bytes === "string") return bytes;
      try {
        return toScript(decodeText(bytes), place).code;
      } catch (error) {
        return refused("ERR_SYNTAX", errorMessage(error));
      }
    },
  };

  const host = scope.manage(
    vm.newFunction("host", (name, ...args) => {
      // Whatever the script catches of it, QuickJS asks before long.
      if (mustEnd()) throw new ScriptEnded();
      // To read its arguments runs loops of QuickJS, which can't be suspended below this function.
      isEntered = false;
      const call = calls[vm.getString(name)];
      const answer = call?.(...args);
      isEntered = true;
      clock.count(CALL_MS);
      if (answer === undefined) return vm.undefined;
      if (typeof answer === "number") return vm.newNumber(answer);
      clock.count(answer.length / BYTES_PER_MS);
      return typeof answer === "string"
        ? vm.newString(answer)
        : vm.newArrayBuffer(answer.slice().buffer);
    }),
  );
  const compile = scope.manage(
    vm.newFunction("compile", (code, name) => {
      isEntered = false;
      const compiled = vm.evalCode(vm.getString(code), vm.getString(name));
      isEntered = true;
      return compiled;
    }),
  );
  vm.setProp(host, "compile", compile);

  /** Calls the sandbox; whatever ends it there is told on stderr. */
  const within = async (run: () => Promise<QuickJSHandle | undefined>): Promise<void> => {
    if (isBroken) return;
    isEntered = true;
    try {
      const thrown = await run();
      isEntered = false;
      if (thrown) report(thrown);
    } catch (error) {
      isBroken = true;
      if (!endOverTime() && !(error instanceof ScriptEnded)) {
        result.stderr += `js: the sandbox failed: ${errorMessage(error)}\n`;
        exit ??= 1;
      }
    }
  };
  /** Whether the script has ended, or ends here because its time is over. */
  const endOverTime = (): boolean => {
    if (exit !== undefined || context.signal.aborted) return true;
    if (clock.computed() <= timeMs) return false;
    result.stderr += `js: ended after ${timeMs} ms of computing\n`;
    exit = 124;
    return true;
  };
  const report = (error: QuickJSHandle): void => {
    // To look at what was thrown may run code of the script.
    const dumped: unknown = endOverTime() ? undefined : vm.dump(error);
    error.dispose();
    if (endOverTime()) return;
    result.stderr += `Uncaught ${describe(dumped)}\n`;
    exit = 1;
  };
  const call = async (
    target: QuickJSHandle,
    name: string,
    ...args: QuickJSHandle[]
  ): Promise<void> => {
    if (isBroken) return;
    const method = scope.manage(vm.getProp(target, name));
    await within(() => entrance.call(method, target, ...args));
  };

  const start = scope.manage(vm.unwrapResult(vm.evalCode(prelude, "js:prelude")));
  const argvHandle = scope.manage(toSandbox(vm, argv));
  const env = scope.manage(toSandbox(vm, context.env));
  const cwd = scope.manage(vm.newString(context.cwd));
  const script = scope.manage(
    vm.unwrapResult(vm.callFunction(start, vm.undefined, host, argvHandle, env, cwd)),
  );
  const main = scope.manage(vm.newString(path));
  clock = createClock();
  hasBegun = true;
  await call(script, "main", main);
  for (;;) {
    await within(() => entrance.runJobs(JOBS_PER_TURN));
    await waiting(makeChanges);
    if (isBroken || exit !== undefined || context.signal.aborted) break;
    if (runtime.hasPendingJob()) {
      await waiting(() => new Promise((resolve) => setTimeout(resolve, 0)));
      continue;
    }
    const [next] = [...timers].sort(([, one], [, other]) => one - other);
    if (!next) break;
    const [id, time] = next;
    const wait = time - performance.now();
    if (wait > 0) await waiting(() => sleep(Math.min(wait, 50), context.signal));
    if (time > performance.now()) continue;
    timers.delete(id);
    await call(script, "fire", scope.manage(vm.newNumber(id)));
  }
  if (exit === undefined) await call(script, "end");
  result.exitCode = context.signal.aborted ? 130 : (exit ?? 0);
  return { result, isBroken };
}

/** Makes the script's changes in the files themselves, in order. */
async function flush({ changes }: Snapshot): Promise<string | undefined> {
  for (let change = changes.shift(); change; change = changes.shift()) {
    try {
      await change.apply();
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      changes.length = 0;
      return `js: ${error.message}${error.hint === "" ? "" : ` (${error.hint})`}\n`;
    }
  }
  return undefined;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

function bytesOf(vm: QuickJSContext, handle: QuickJSHandle): Uint8Array {
  using buffer = vm.getArrayBuffer(handle);
  return buffer.value.slice();
}

function toSandbox(vm: QuickJSContext, value: unknown): QuickJSHandle {
  return vm.unwrapResult(vm.evalCode(`(${JSON.stringify(value)})`, "js:start"));
}

function describe(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const text = (key: string): string => {
    const value: unknown = Reflect.get(error, key);
    return typeof value === "string" ? value : "";
  };
  return `${text("name")}: ${text("message")}\n${text("stack")}`.trimEnd();
}
