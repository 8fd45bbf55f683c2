import type { ShellCommand } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { createPrinter, inputOf } from "../streams.ts";

/** Copies its input to files while it is written: `-a`, `-i` and `-p`. */
export const tee: ShellCommand = {
  name: "tee",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "aip",
      valued: "",
      long: { append: "a", "ignore-interrupts": "i", "output-error": "p" },
    });
    const { fs } = context;
    let [stderr, exitCode] = ["", 0];
    const paths: string[] = [];
    for (const operand of operands) {
      const path = context.resolve(operand);
      try {
        if (options.has("a")) await fs.appendFile(path, new Uint8Array());
        else await fs.writeFile(path, new Uint8Array());
        paths.push(path);
      } catch (error) {
        stderr += `tee: ${operand}: ${explain(error)}\n`;
        exitCode = 1;
      }
    }
    const printer = createPrinter(context);
    const next = inputOf(context);
    for (let part = await next(); part; part = await next()) {
      const bytes = part.slice();
      for (const path of paths) await fs.appendFile(path, bytes);
      await printer.print(bytes);
      await context.pace();
    }
    return { stdout: printer.rest(), stderr, exitCode };
  },
};
