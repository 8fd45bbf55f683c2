import type { ToolItem } from "@robota/react/store";
import { useMemo } from "react";
import { describeTool } from "../tools/describe-tool.ts";
import { Exact } from "../ui/exact-text.tsx";
import { type JudgedCall, wouldAllow } from "./pattern-reach.ts";

/** Named in full; the rest is a number. */
const NAMED = 4;

export interface PatternReachProps {
  pattern: string;
  call: JudgedCall;
  earlier: readonly ToolItem[];
}

/** Which of the known calls a pattern would have let through. */
export function PatternReach({ pattern, call, earlier }: PatternReachProps) {
  const isMatch = useMemo(() => wouldAllow(pattern, call), [pattern, call]);
  const matched = useMemo(
    () => earlier.filter((item) => wouldAllow(pattern, item)),
    [pattern, earlier],
  );
  return (
    <>
      <p data-part="pattern-reach" data-bad={!isMatch || undefined}>
        {isMatch
          ? "Matches this call."
          : "Does not match this call: it runs now, and the next one like it asks again."}
      </p>
      {earlier.length > 0 && (
        <p data-part="pattern-reach">
          {`Of ${count(earlier.length, call.tool)} before, it matches ${matched.length === 0 ? "none" : matched.length}`}
          {matched.length === 0 ? "." : ": "}
          {matched.slice(0, NAMED).map((item, index) => (
            <span key={item.id}>
              {index > 0 && ", "}
              <code>
                <Exact text={describeTool(item.tool, item.args).main} />
              </code>
            </span>
          ))}
          {matched.length > NAMED && ` and ${matched.length - NAMED} more`}
          {matched.length > 0 && "."}
        </p>
      )}
    </>
  );
}

function count(calls: number, tool: string): string {
  return calls === 1 ? `1 ${tool} call` : `${calls} ${tool} calls`;
}
