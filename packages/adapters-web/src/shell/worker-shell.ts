import {
  type FromWorker,
  type StatefulShell,
  type ShellWorker,
  pooledShell,
  type PooledShellOptions,
} from "@robota/shell";

export interface WorkerShellOptions extends Omit<
  PooledShellOptions,
  "createWorker" | "failureHint" | "maxWorkers"
> {
  /** Commands that run at once, each in a worker of its own; more share one. Default 4. */
  maxWorkers?: number | undefined;
  /**
   * Makes the worker, for bundlers that don't understand `new Worker(new URL(…, import.meta.url))` in a dependency:
   * start `@robota/adapters-web/shell-worker` as a module worker.
   */
  createWorker?: (() => Worker) | undefined;
}

export interface WorkerShell extends StatefulShell, Disposable {
  readonly kind: "virtual";
  /** Ends every command and lets the workers go. */
  dispose(): void;
}

/**
 * A `VirtualShell` off the page's thread, over the page's files: the page stays responsive whatever a script does, and
 * a command that ignores its abort is killed with its worker after 200 ms.
 *
 * Workers start with the first command; one is reused for the next.
 */
export function workerShell({
  maxWorkers,
  createWorker = createDefaultWorker,
  ...options
}: WorkerShellOptions): WorkerShell {
  return pooledShell({
    ...options,
    maxWorkers,
    createWorker: () => shellWorkerOf(createWorker()),
    failureHint: "Check that the page may load its worker (content security policy, connection).",
  });
}

function shellWorkerOf(worker: Worker): ShellWorker {
  return {
    post: (message, transfer) => worker.postMessage(message, [...transfer]),
    listen: (listener) =>
      worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => listener(data)),
    onFailure: (listener) =>
      worker.addEventListener("error", ({ message }) => listener(message || "it did not load")),
    terminate: () => worker.terminate(),
  };
}

function createDefaultWorker(): Worker {
  return new Worker(new URL("./shell-worker.js", import.meta.url), {
    type: "module",
    name: "robota-shell",
  });
}
