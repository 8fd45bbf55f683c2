import { isWithin } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { type Task, lstat, toTarget, Complaint } from "./copying.ts";

export const mv: ShellCommand = {
  name: "mv",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "finuvT",
      valued: "t",
      long: {
        force: "f",
        interactive: "i",
        "no-clobber": "n",
        update: "u",
        verbose: "v",
        "target-directory": "t",
        "no-target-directory": "T",
      },
    });
    const task: Task = { context, options, report: [], complaints: [] };
    const { fs, resolve } = context;
    return toTarget("mv", task, operands, async (source, target) => {
      const [from, to] = [resolve(source), resolve(target)];
      const stat = await fs.lstat(from);
      const before = await lstat(context, to);
      if (from === to) throw new Complaint(`'${source}' and '${target}' are the same file`);
      if (stat.type === "directory" && isWithin(from, to)) {
        throw new Complaint(`cannot move '${source}' to a subdirectory of itself, '${target}'`);
      }
      if (before && options.has("n")) return;
      if (before && options.has("u") && before.mtimeMs >= stat.mtimeMs) return;
      if (before?.type === "directory" && stat.type !== "directory") {
        throw new Complaint(`cannot overwrite directory '${target}' with non-directory`);
      }
      if (before && before.type !== "directory" && stat.type === "directory") {
        throw new Complaint(
          `cannot overwrite non-directory '${target}' with directory '${source}'`,
        );
      }
      try {
        await fs.rename(from, to);
      } catch (error) {
        throw new Complaint(`cannot move '${source}' to '${target}': ${explain(error)}`);
      }
      if (options.has("v")) task.report.push(`renamed '${source}' -> '${target}'\n`);
    });
  },
};
