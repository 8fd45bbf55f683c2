import type { Shell } from "../../ports/shell.ts";
import type { CommandHook } from "../definition.ts";
import { HOOK_OUTPUT_LIMIT, type HookTypeExecutor } from "../executor.ts";

/**
 * Runs command lines in a shell: the input as one line of JSON on stdin, `ROBOTA_PROJECT_DIR` and `CLAUDE_PROJECT_DIR` in
 * the environment.
 */
export function commandExecutor(shell: Shell): HookTypeExecutor<CommandHook> {
  return {
    type: "command",
    load: async () => shell.load?.(),
    async execute({ command }, input, { signal, projectDir }) {
      const { exitCode, stdout, stderr } = await shell.exec(command, {
        cwd: input.cwd,
        env: { ROBOTA_PROJECT_DIR: projectDir, CLAUDE_PROJECT_DIR: projectDir },
        stdin: `${JSON.stringify(input)}\n`,
        signal,
        // No process of a hook outlives it.
        endsLeftovers: true,
        maxOutputBytes: HOOK_OUTPUT_LIMIT,
      });
      return { exitCode, stdout, stderr };
    },
  };
}
