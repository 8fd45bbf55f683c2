import recorded from "./jq.json" with { type: "json" };

/** A call of jq with the recorded answer of version 1.6. */
export interface JqCase {
  args: readonly string[];
  input?: string;
  stdout: string;
  stderr: string;
  exitCode: number;
}

// The recorder's output, whose shape TypeScript can't narrow from JSON.
export const jqCases = recorded as readonly JqCase[];
