import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from "quickjs-emscripten-core";
import { errorMessage, FileSystemError } from "../../../../errors.ts";
import { decodeText, encodeText, fromByteString, toByteString } from "../../bytes.ts";
import type { ShellCommandContext } from "../../command.ts";
import { canPause, createEntrance, type ScriptEngine } from "./engine.ts";
import { refused, scriptFiles } from "./files.ts";
import type { ScriptOptions } from "./options.ts";
import { prelude } from "./prelude.ts";
import { resolveModule } from "./resolve.ts";
import type { Snapshot } from "./snapshot.ts";
import { toScript } from "./transform.ts";

/** Bytes of the sandbox's own stack: deeper recursion is an error of the script, not of the host. */
const STACK_BYTES = 256 * 1024;
const JOBS_PER_TURN = 500;
/** How long a script computes before others have a turn. */
const TURN_MS = 15;
/** QuickJS asks after each 10,000 calls and rounds of loops. For hosts whose clock stands still while code runs: so many times in a turn, */
const TURN_ASKS = 32;
/** and so long for each of them. */
const ASK_MS = 0.1;

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
  // One in which a script ended by an error of WebAssembly itself is not used again.
  const result = await runIn(quickjs, context, script, options);
  engine.give(quickjs);
  return result;
}

async function runIn(
  quickjs: QuickJSWASMModule,
  context: ShellCommandContext,
  { path, argv, stdin, snapshot }: Script,
  { timeMs = 5_000, memoryBytes = 64 * 1024 * 1024 }: ScriptOptions,
): Promise<ScriptResult> {
  const result: ScriptResult = {
    stdout: "",
    stderr: "",
    exitCode: 0,
    tests: { tests: 0, pass: 0, fail: 0, skipped: 0 },
  };
  const started = performance.now();
  const timers = new Map<number, number>();
  let exit: number | undefined;
  const clock = createClock();
  const mustEnd = (): boolean =>
    exit !== undefined || context.isOver() || clock.computed() > timeMs;
  using runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  using vm = runtime.newContext();
  /** Whether the sandbox may pause: not while it waits for a function of this file. */
  let isEntered = false;
  const entrance = createEntrance(
    quickjs,
    vm,
    () => {
      clock.ask();
      if (mustEnd()) return "end";
      return canPause && isEntered && clock.isTurnOver() ? "pause" : "go on";
    },
    async () => {
      await waiting(() => new Promise((resolve) => setTimeout(resolve, 0)));
      return mustEnd() ? "end" : "go on";
    },
  );
  const waiting = async (wait: () => Promise<void>): Promise<void> => {
    clock.stop();
    await wait();
    clock.start();
  };
  const files = scriptFiles(context.fs, snapshot);

  const calls: Record<
    string,
    (...args: QuickJSHandle[]) => string | number | Uint8Array | undefined
  > = {
    print: (stream, text) => {
      result[vm.getString(stream!) === "stderr" ? "stderr" : "stdout"] += vm.getString(text!);
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

  using host = vm.newFunction("host", (name, ...args) => {
    const call = calls[vm.getString(name)];
    const answer = call?.(...args);
    if (answer === undefined) return vm.undefined;
    if (typeof answer === "number") return vm.newNumber(answer);
    return typeof answer === "string"
      ? vm.newString(answer)
      : vm.newArrayBuffer(answer.slice().buffer);
  });
  using compile = vm.newFunction("compile", (code, name) => {
    isEntered = false;
    const compiled = vm.evalCode(vm.getString(code), vm.getString(name));
    isEntered = true;
    return compiled;
  });
  vm.setProp(host, "compile", compile);

  /** Calls the sandbox; whatever ends it there is told on stderr. */
  const within = async (run: () => Promise<QuickJSHandle | undefined>): Promise<void> => {
    isEntered = true;
    const thrown = await run();
    isEntered = false;
    if (thrown) report(thrown);
  };
  const report = (error: QuickJSHandle): void => {
    const dumped: unknown = vm.dump(error);
    error.dispose();
    if (exit !== undefined || context.signal.aborted) return;
    const isOver = clock.computed() > timeMs;
    result.stderr += isOver
      ? `js: ended after ${timeMs} ms of computing\n`
      : `Uncaught ${describe(dumped)}\n`;
    exit = isOver ? 124 : 1;
  };
  const call = async (
    target: QuickJSHandle,
    name: string,
    ...args: QuickJSHandle[]
  ): Promise<void> => {
    using method = vm.getProp(target, name);
    await within(() => entrance.call(method, target, ...args));
  };

  using start = vm.unwrapResult(vm.evalCode(prelude, "js:prelude"));
  using argvHandle = toSandbox(vm, argv);
  using env = toSandbox(vm, context.env);
  using cwd = vm.newString(context.cwd);
  using script = vm.unwrapResult(vm.callFunction(start, vm.undefined, host, argvHandle, env, cwd));
  using main = vm.newString(path);
  await call(script, "main", main);
  for (;;) {
    await within(() => entrance.runJobs(JOBS_PER_TURN));
    let failure: string | undefined;
    await waiting(async () => void (failure = await flush(snapshot)));
    if (failure !== undefined) {
      result.stderr += failure;
      exit ??= 1;
    }
    if (exit !== undefined || context.signal.aborted) break;
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
    using number = vm.newNumber(id);
    await call(script, "fire", number);
  }
  if (exit === undefined) await call(script, "end");
  result.exitCode = context.signal.aborted ? 130 : (exit ?? 0);
  return result;
}

/** How long a script has computed. */
interface Clock {
  /** QuickJS has asked. */
  ask(): void;
  computed(): number;
  isTurnOver(): boolean;
  /** Until the clock starts again others run. */
  stop(): void;
  start(): void;
}

function createClock(): Clock {
  let used = 0;
  let asks = 0;
  let since = performance.now();
  const turn = (): number => performance.now() - since || asks * ASK_MS;
  return {
    ask: () => void (asks += 1),
    computed: () => used + turn(),
    isTurnOver() {
      const elapsed = performance.now() - since;
      return elapsed >= TURN_MS || (elapsed === 0 && asks >= TURN_ASKS);
    },
    stop: () => void (used += turn()),
    start() {
      since = performance.now();
      asks = 0;
    },
  };
}

/** Makes the script's changes in the files themselves, in order. */
async function flush({ changes }: Snapshot): Promise<string | undefined> {
  for (let change = changes.shift(); change; change = changes.shift()) {
    try {
      await change();
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
