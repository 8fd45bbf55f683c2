import type { ToolItem } from "@robota/react/store";

/** The output of a call for people: with its colours, where the tool keeps them beside the text for the model. */
export function outputOf({ output, outcome }: ToolItem): string {
  const data = outcome?.data;
  const isRecord = typeof data === "object" && data !== null;
  const colored = isRecord && "coloredOutput" in data ? data.coloredOutput : undefined;
  return typeof colored === "string" ? colored : output;
}
