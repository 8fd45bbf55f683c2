import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { textOf } from "../output-text.ts";

/** Sets the time of files and creates missing ones: `-c`, `-d`, `-r`, `-t`; files have a single time. */
export const touch: ShellCommand = {
  name: "touch",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "acmfh",
      valued: "drt",
      long: { date: "d", "no-create": "c", reference: "r", time: "time" },
    });
    if (operands.length === 0) throw new Error("missing file operand");
    const time = await timeOf(context, options);
    let stderr = "";
    for (const operand of operands) {
      const path = context.resolve(operand);
      try {
        if (!(await exists(context, path))) {
          if (options.has("c")) continue;
          await context.fs.writeFile(path, "");
        }
        await context.fs.utimes(path, time);
      } catch (error) {
        stderr += `touch: cannot touch '${operand}': ${explain(error)}\n`;
      }
    }
    return { stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};

async function timeOf(
  context: ShellCommandContext,
  options: ReadonlyMap<string, string>,
): Promise<number> {
  const [text, reference, stamp] = [options.get("d"), options.get("r"), options.get("t")];
  if (reference !== undefined) {
    const stat = await context.fs.stat(context.resolve(reference)).catch((error: unknown) => {
      throw new Error(`failed to get attributes of '${reference}': ${explain(error)}`, {
        cause: error,
      });
    });
    return stat.mtimeMs;
  }
  if (stamp !== undefined) {
    const [, century = "", year = "", month, day, hour, minute, second = "0"] =
      /^(\d\d)?(\d\d)?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(stamp) ?? [];
    if (month === undefined) throw new Error(`invalid date format '${stamp}'`);
    const short = year === "" ? century : year;
    const full =
      year === ""
        ? short === ""
          ? new Date().getUTCFullYear()
          : Number(short) + (Number(short) < 69 ? 2000 : 1900)
        : Number(century + year);
    return Date.UTC(
      full,
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    );
  }
  if (text === undefined) return Date.now();
  const seconds = await context.run("date", ["-d", text, "+%s"]);
  if (seconds.exitCode !== 0) throw new Error(`invalid date format '${text}'`);
  return Number(textOf(seconds)) * 1000;
}

function exists({ fs }: ShellCommandContext, path: string): Promise<boolean> {
  return fs.stat(path).then(
    () => true,
    () => false,
  );
}
