import type { SessionEventOf } from "../log/events.ts";
import type { ReplayCursor } from "./replay-cursor.ts";

const NOTE = "The person who allowed this call adds: ";

/**
 * A recorded result as the tool gave it: the approving person's remark is added again with the decision. `behind`: text
 * that hooks added after that.
 */
export function originalResult(
  cursor: ReplayCursor,
  { toolCallId, message }: SessionEventOf<"tool_end">,
): { output: SessionEventOf<"tool_end">["message"]["content"]; behind: string } {
  const { content } = message;
  const reason = cursor.noteOf(toolCallId);
  if (reason === undefined || reason === "") return { output: content, behind: "" };
  const text = `${NOTE}${reason}`;
  if (typeof content !== "string") {
    const at = content.findLastIndex((part) => part.type === "text" && part.text === text);
    return { output: at < 0 ? content : content.toSpliced(at, 1), behind: "" };
  }
  const at = content.lastIndexOf(`\n\n${text}`);
  if (at < 0) return { output: content, behind: "" };
  const behind = content.slice(at + 2 + text.length);
  return { output: content.slice(0, at), behind: behind.startsWith("\n\n") ? behind.slice(2) : "" };
}
