import { pinOf, type ServerTool, unusable } from "./server-tool.ts";

const MAX_TOOLS = 500;

/** Pins by the server's name of a tool: SHA-256 in hex of its whole definition. */
export type McpPins = Readonly<Record<string, string>>;

/** A withheld tool. To approve it, connect again with its `pin` among the pins. */
export interface WithheldTool {
  /** Name on the server; may contain any characters. */
  name: string;
  reason: "new" | "changed" | "unusable";
  /** The reason why it is unusable, for a person. */
  problem?: string;
  pin: string;
}

export interface SiftedTools {
  offered: { tool: ServerTool; pin: string }[];
  withheld: WithheldTool[];
}

/** Offers approved tools; reports new, changed and unusable ones. Without pins, every usable tool is approved. */
export async function sift(
  tools: readonly ServerTool[],
  pins: McpPins | undefined,
): Promise<SiftedTools> {
  const sifted: SiftedTools = { offered: [], withheld: [] };
  for (const [index, tool] of tools.entries()) {
    const pin = await pinOf(tool);
    const known = pins && Object.hasOwn(pins, tool.name) ? pins[tool.name] : undefined;
    const isNew = pins !== undefined && known === undefined;
    const problem = index >= MAX_TOOLS ? `the server has over ${MAX_TOOLS} tools` : unusable(tool);
    if (problem !== undefined)
      sifted.withheld.push({ name: tool.name, reason: "unusable", problem, pin });
    else if (isNew) sifted.withheld.push({ name: tool.name, reason: "new", pin });
    else if (known !== undefined && known !== pin)
      sifted.withheld.push({ name: tool.name, reason: "changed", pin });
    else sifted.offered.push({ tool, pin });
  }
  return sifted;
}
