import type { FunctionHook, HookFunctionAnswer } from "../definition.ts";
import { type HookTypeExecutor, SILENT } from "../executor.ts";
import type { HookResult } from "../result.ts";

/** Calls functions of the program. */
export function functionExecutor(): HookTypeExecutor<FunctionHook> {
  return {
    type: "function",
    async execute(hook, input, { signal }) {
      const answer = await hook.run(input, { signal });
      if (!answer) return SILENT;
      if (isResult(answer)) return answer;
      return { ...SILENT, stdout: JSON.stringify(answer) };
    },
  };
}

function isResult(answer: NonNullable<HookFunctionAnswer>): answer is HookResult {
  return "exitCode" in answer;
}
