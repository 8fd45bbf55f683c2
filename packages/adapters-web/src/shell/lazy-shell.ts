import type { FileSystem } from "@robota/runtime";
import { type ShellResult, ShellError } from "@robota/runtime/ports";
import { describeShell, type StatefulShell } from "@robota/shell";
import type { WorkerShell, WorkerShellOptions } from "./worker-shell.ts";

/** A `workerShell` whose code comes with the first command, since most visits to a page run none. */
export function lazyShell(options: WorkerShellOptions): WorkerShell {
  let loaded: Promise<WorkerShell> | undefined;
  let isDisposed = false;
  const load = async (): Promise<WorkerShell> => {
    loaded ??= import("./worker-shell.ts").then(({ workerShell }) => workerShell(options));
    try {
      const shell = await loaded;
      if (isDisposed) shell.dispose();
      return shell;
    } catch (cause) {
      loaded = undefined;
      throw new ShellError("The shell can't be loaded", {
        cause,
        hint: "Check the connection, then try again.",
      });
    }
  };
  const over = (files: FileSystem): StatefulShell => ({
    kind: "virtual",
    describe: () => describeShell(options, options.beyondFiles),
    beyondFiles: [...(options.fetch ? ["curl"] : []), ...(options.beyondFiles ?? [])],
    exec: async (command, execution): Promise<ShellResult> =>
      (await load()).over(files).exec(command, execution),
    load: async () => (await load()).load?.(),
    over,
  });
  const dispose = (): void => {
    isDisposed = true;
    loaded?.then(
      (shell) => shell.dispose(),
      () => undefined,
    );
  };
  return { ...over(options.fs), kind: "virtual", dispose, [Symbol.dispose]: dispose };
}
