import { errorMessage, ShellError, type ShellResult } from "@robota/runtime/ports";
import type { ExecutionOptions, Judged, UserFiles } from "./execution.ts";
import type { VirtualShellOptions } from "./options.ts";

/** Runs a command over these files. Decisions of the host come separately from the options, which are the caller's. */
export type Interpreter = (
  files: UserFiles,
  command: string,
  options: ExecutionOptions,
  judged?: Judged,
) => Promise<ShellResult>;

/** Loads on the first call, and again after a failed one. */
export function loadInterpreter(options: VirtualShellOptions): () => Promise<Interpreter> {
  let loaded: Promise<Interpreter> | undefined;
  const load = async (): Promise<Interpreter> => {
    try {
      const [{ createEngine }, { execute }] = await Promise.all([
        import("./engine/engine.ts"),
        import("./execution.ts"),
      ]);
      const engine = createEngine(options);
      return (files, command, execution, judged) =>
        execute(engine, files, command, execution, judged);
    } catch (error) {
      loaded = undefined;
      throw new ShellError(`The shell's interpreter can't be loaded: ${errorMessage(error)}`, {
        cause: error,
        hint: "Check the connection and the page's content security policy, then try again.",
      });
    }
  };
  return () => (loaded ??= load());
}
