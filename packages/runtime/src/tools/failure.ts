import { RobotaError, type RobotaErrorOptions } from "../errors.ts";
import type { ToolErrorCode } from "../messages/tool-error-code.ts";
import type { ToolResult } from "./tool.ts";

/** Ends a tool call from inside with a failed result; `code` becomes its `errorCode`. */
export class ToolFailure extends RobotaError {
  override readonly name = "ToolFailure" as const;

  constructor(code: ToolErrorCode, message: string, options: RobotaErrorOptions = {}) {
    super(message, { code, category: "user", recoverable: false, ...options });
  }
}

/** Runs the body of a tool. An error of this package becomes a failed result; any other is thrown on. */
export async function settle(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RobotaError) return failedResult(error);
    throw error;
  }
}

function failedResult({ message, hint, code }: RobotaError): ToolResult {
  const output = hint ? `${message}\n${hint}` : message;
  return { success: false, output, error: message, errorCode: code };
}
