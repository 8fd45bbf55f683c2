import type { HtmlAttributes } from "./tokens.ts";
import type { MarkdownWriter } from "./writer.ts";

export interface MarkdownTable {
  addCell: (text: string, attributes: HtmlAttributes) => void;
  endRow: () => void;
}

/** More columns than these are nothing to read. */
const MAX_SPAN = 100;
const RULES: Readonly<Record<string, string>> = { left: ":---", center: ":---:", right: "---:" };

/** Writes the rows of a table; the first one is its head. */
export function openTable(writer: MarkdownWriter): MarkdownTable {
  let rows = 0;
  let cells: string[] = [];
  let rules: string[] = [];
  return {
    addCell(text, attributes) {
      const align =
        /text-align:\s*(\w+)/.exec(attributes.get("style") ?? "")?.[1] ?? attributes.get("align");
      const span = Math.min(Number.parseInt(attributes.get("colspan") ?? "1", 10) || 1, MAX_SPAN);
      cells.push(text, ...Array<string>(Math.max(span, 1) - 1).fill(""));
      rules.push(
        ...Array<string>(Math.max(span, 1)).fill(RULES[align?.toLowerCase() ?? ""] ?? "---"),
      );
    },
    endRow() {
      if (cells.length > 0) {
        const lines = rows === 0 ? [cells, rules] : [cells];
        writer.lines(
          lines.map((row) => `| ${row.join(" | ")} |`),
          rows === 0 ? 2 : 1,
        );
        rows += 1;
      }
      cells = [];
      rules = [];
    },
  };
}
