import { htmlToMarkdown as convert } from "@robota/runtime/network";
import { decodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";

const CHARACTERS_PER_STEP = 64;

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
    const markdown = await convert(html, {
      bullet,
      fence,
      rule: options.get("r"),
      isUnderlined: options.get("heading-style") === "setext",
      async onRead(characters) {
        await context.pace(characters / CHARACTERS_PER_STEP);
        return true;
      },
    });
    return { stdout: `${markdown}\n` };
  },
};

export { htmlToMarkdown as "html-to-markdown" };
