import { errorMessage, ShellError, type ShellResult } from "@robota/runtime/ports";
import type { ExecutionOptions, Judged, UserFiles } from "./execution.ts";
import type { VirtualShellOptions } from "./options.ts";

/** Runs a command over these files. What its host judges comes beside the options, which are the caller's. */
export type Interpreter = (
  files: UserFiles,
  command: string,
  options: ExecutionOptions,
  judged?: Judged,
) => Promise<ShellResult>;

/** Loads when it is first called, and again after a call that failed. */
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
