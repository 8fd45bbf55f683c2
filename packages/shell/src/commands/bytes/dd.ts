import type { ShellCommand } from "../../command.ts";
import { readOperand } from "../arguments.ts";
import { readEndless } from "./endless.ts";
import { parseNumber } from "./rows.ts";

/** Reads and writes blocks: `if`, `of`, `bs`, `count`, `skip`, `seek`, `conv=notrunc`, `status`. */
export const dd: ShellCommand = {
  name: "dd",
  async run(args, context) {
    const given = new Map(
      args.map((arg) => {
        const [name = "", ...value] = arg.split("=");
        if (
          ![
            "if",
            "of",
            "bs",
            "ibs",
            "obs",
            "count",
            "skip",
            "seek",
            "conv",
            "status",
            "iflag",
            "oflag",
          ].includes(name)
        ) {
          throw new Error(`unrecognized operand '${arg}'`);
        }
        return [name, value.join("=")] as const;
      }),
    );
    const block = parseNumber(given.get("bs") ?? given.get("ibs")) ?? 512;
    const count = parseNumber(given.get("count"));
    const source = given.get("if") ?? "-";
    const skip = (parseNumber(given.get("skip")) ?? 0) * block;
    const limit = count === undefined ? undefined : count * block;
    if (limit !== undefined && limit > MAX_SIZE) throw new Error(`more than ${MAX_SIZE} bytes`);
    const asked = limit === undefined ? undefined : skip + limit;
    const input = readEndless(source, asked) ?? (await readOperand(context, source));
    const bytes = input.subarray(skip, limit === undefined ? undefined : skip + limit);
    const records = `${Math.floor(bytes.length / block)}+${bytes.length % block > 0 ? 1 : 0}`;
    const facts = `${records} records in\n${records} records out\n`;
    const status = given.get("status");
    const total = `${bytes.length} bytes copied\n`;
    const stderr = status === "none" ? "" : status === "noxfer" ? facts : facts + total;
    const target = given.get("of");
    if (target === undefined) return { stdout: bytes, stderr };
    const path = context.resolve(target);
    const seek = (parseNumber(given.get("seek")) ?? 0) * block;
    const isKept = (given.get("conv") ?? "").split(",").includes("notrunc");
    const before =
      seek > 0 || isKept
        ? await context.fs.readFile(path).catch(() => new Uint8Array())
        : new Uint8Array();
    const end = isKept ? Math.max(before.length, seek + bytes.length) : seek + bytes.length;
    const output = new Uint8Array(end);
    output.set(before.subarray(0, end));
    output.set(bytes, seek);
    await context.fs.writeFile(path, output);
    return { stderr };
  },
};

const MAX_SIZE = 256 * 1024 * 1024;
