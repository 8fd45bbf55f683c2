import type { ElementNode } from "@mdream/js";
import { streamHtmlToMarkdown } from "@mdream/js/core";
import { filterPlugin } from "@mdream/js/plugins";
import { decodeText } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";

/** Large enough that elements across pieces cost little, small enough to notice an abort between two. */
const PIECE = 64 * 1024;
const BYTES_PER_STEP = 64;
/** Elements without readable text. */
const NOT_TEXT = ["script", "style", "noscript", "template", "svg", "iframe", "canvas", "object"];

/** Converts HTML to Markdown: `-b BULLET`, `-c FENCE`, `-r RULE`, `--heading-style`. */
const htmlToMarkdown: ShellCommand = {
  name: "html-to-markdown",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      valued: "bcr",
      long: { bullet: "b", code: "c", hr: "r", "heading-style": "heading-style" },
    });
    const bullet = options.get("b") ?? "-";
    const fence = options.get("c") ?? "```";
    if (!["-", "+", "*"].includes(bullet)) throw new Error("invalid bullet marker");
    if (fence !== "```" && fence !== "~~~") throw new Error("invalid code fence");
    const html = decodeText(await readOperand(context, operands[0] ?? "-"));
    if (html.trim() === "") return {};
    const markdown = await convert(html, context);
    const style = {
      bullet,
      fence,
      rule: options.get("r") ?? "---",
      isUnderlined: options.get("heading-style") === "setext",
    };
    return { stdout: `${restyled(markdown, style)}\n` };
  },
};

export { htmlToMarkdown as "html-to-markdown" };

async function convert(html: string, { pace }: ShellCommandContext): Promise<string> {
  let read = 0;
  const pieces = new ReadableStream<string>({
    async pull(controller) {
      await pace(PIECE / BYTES_PER_STEP);
      if (read >= html.length) controller.close();
      else controller.enqueue(html.slice(read, (read += PIECE)));
    },
  });
  const withoutEmptyImages = {
    beforeNodeProcess: ({ node }: { node: unknown }) => {
      const { name, attributes } = node as Partial<ElementNode>;
      return name === "img" && !attributes?.["src"] ? { skip: true } : undefined;
    },
  };
  const options = { plugins: [filterPlugin({ exclude: NOT_TEXT }), withoutEmptyImages] };
  let text = "";
  for await (const piece of streamHtmlToMarkdown(pieces, options)) text += piece;
  return text.trim();
}

interface Style {
  readonly bullet: string;
  readonly fence: string;
  readonly rule: string;
  readonly isUnderlined: boolean;
}

/** Writes the marks of lists, code, rules and headings in another form. */
function restyled(markdown: string, { bullet, fence, rule, isUnderlined }: Style): string {
  let isCode = false;
  return markdown
    .split("\n")
    .map((line) => {
      if (/^\s*```/.test(line)) {
        isCode = !isCode;
        return line.replace("```", fence);
      }
      if (isCode) return line;
      if (line === "---") return rule;
      const [, marks = "", title = ""] = /^(#{1,2}) (.*)$/.exec(line) ?? [];
      if (isUnderlined && marks !== "")
        return `${title}\n${(marks === "#" ? "=" : "-").repeat(title.length)}`;
      return line.replace(/^(\s*)[-*] /, `$1${bullet} `);
    })
    .join("\n");
}
