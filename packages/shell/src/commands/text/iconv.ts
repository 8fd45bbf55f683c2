import { encodeText } from "@robota/runtime/ports";
import { toByteString } from "../../bytes.ts";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";

const latin1 = new Set(["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1"]);

const ascii = new Set(["ascii", "us-ascii", "ansi_x3.4-1968"]);

/**
 * Converts from any encoding of the host to UTF-8, UTF-16, Latin-1 or ASCII; `//IGNORE` and `//TRANSLIT` for
 * unencodable characters.
 */
export const iconv: ShellCommand = {
  name: "iconv",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "cs",
      valued: "fto",
      long: { "from-code": "f", "to-code": "t", output: "o" },
    });
    const [to = "utf-8", how = ""] = (options.get("t") ?? "utf-8").toLowerCase().split("//");
    const from = (options.get("f") ?? "utf-8").toLowerCase().split("//")[0] ?? "utf-8";
    const bytes = await readOperand(context, operands[0] ?? "-");
    const text = latin1.has(from)
      ? toByteString(bytes)
      : new TextDecoder(ascii.has(from) ? "utf-8" : from, { ignoreBOM: true }).decode(bytes);
    const isLenient = options.has("c") || how.includes("ignore");
    const { output, stopped } = await encodeAs(
      context.pace,
      text,
      to,
      isLenient,
      how.includes("translit"),
    );
    const stderr =
      stopped === undefined ? "" : `iconv: illegal input sequence at position ${stopped}\n`;
    const target = options.get("o");
    const exitCode = stderr === "" ? 0 : 1;
    if (target === undefined) return { stdout: output, stderr, exitCode };
    await context.fs.writeFile(context.resolve(target), output);
    return { stderr, exitCode };
  },
};

async function encodeAs(
  pace: ShellCommandContext["pace"],
  text: string,
  to: string,
  isLenient: boolean,
  isTranslated: boolean,
): Promise<{ output: Uint8Array; stopped?: number }> {
  if (to === "utf-8" || to === "utf8") return { output: encodeText(text) };
  if (/^utf-?16(?:le|be)?$/.test(to)) {
    const bytes = new Uint8Array(text.length * 2);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < text.length; at++)
      view.setUint16(at * 2, text.charCodeAt(at), !to.endsWith("be"));
    return { output: to.endsWith("e") ? bytes : Uint8Array.from([255, 254, ...bytes]) };
  }
  if (!latin1.has(to) && !ascii.has(to)) throw new Error(`conversion to \`${to}' is not supported`);
  const most = latin1.has(to) ? 255 : 127;
  const bytes: number[] = [];
  let position = 0;
  for (const character of text) {
    const turn = pace(0.1);
    if (turn) await turn;
    const code = character.codePointAt(0) ?? 0;
    const base =
      isTranslated && code > most
        ? character.normalize("NFKD").replace(/[^\0-\x7f]/g, "") || "?"
        : "";
    if (code <= most) bytes.push(code);
    else if (isTranslated) bytes.push(...encodeText(base));
    else if (!isLenient) return { output: Uint8Array.from(bytes), stopped: position };
    position += encodeText(character).length;
  }
  return { output: Uint8Array.from(bytes) };
}
