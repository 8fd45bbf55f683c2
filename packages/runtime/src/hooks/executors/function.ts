import type { FunctionHook, HookExit, HookFunctionAnswer } from "../definition.ts";
import { type HookTypeExecutor, SILENT } from "../executor.ts";

/** Calls functions of the program. */
export function functionExecutor(): HookTypeExecutor<FunctionHook> {
  return {
    type: "function",
    async execute(hook, input, { signal }) {
      const answer = await hook.run(input, { signal });
      if (!answer) return SILENT;
      if (isExit(answer)) return { ...SILENT, ...answer };
      return { ...SILENT, stdout: JSON.stringify(answer) };
    },
  };
}

function isExit(answer: NonNullable<HookFunctionAnswer>): answer is HookExit {
  return "exitCode" in answer;
}
