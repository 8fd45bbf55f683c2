import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../command.ts";
import { parseArguments } from "./arguments.ts";

/** Programs that only run another one: there are no priorities, terminals or buffers to set. */
function runnerNamed(name: string, valued: string, flags = ""): ShellCommand {
  return {
    name,
    async run(args, context): Promise<ShellCommandResult> {
      const { operands } = parseArguments(args, { valued, flags }, { stopAtOperand: true });
      const [program, ...rest] = operands;
      if (program === undefined) throw new Error("missing operand");
      return context.run(program, rest, inputOf(context));
    },
  };
}

function inputOf({ stdin }: ShellCommandContext): string {
  return stdin();
}

export const nohup = runnerNamed("nohup", "");
export const nice = runnerNamed("nice", "n");
export const ionice = runnerNamed("ionice", "cnp", "t");
export const stdbuf = runnerNamed("stdbuf", "ioe");
export const setsid = runnerNamed("setsid", "", "fwc");

export const tty: ShellCommand = {
  name: "tty",
  run: (args) => ({ stdout: args.includes("-s") ? "" : "not a tty\n", exitCode: 1 }),
};

export const id: ShellCommand = {
  name: "id",
  run(args) {
    const { options } = parseArguments(args, {
      flags: "ugGnr",
      long: { user: "u", group: "g", groups: "G", name: "n" },
    });
    if (!["u", "g", "G"].some((letter) => options.has(letter))) {
      return { stdout: "uid=1000(user) gid=1000(user) groups=1000(user)\n" };
    }
    return { stdout: options.has("n") ? "user\n" : "1000\n" };
  },
};

export const groups: ShellCommand = { name: "groups", run: () => ({ stdout: "user\n" }) };

/** No command runs beside another, so there is never one to list. */
export const jobs: ShellCommand = { name: "jobs", run: () => ({}) };

export const times: ShellCommand = {
  name: "times",
  run: () => ({ stdout: "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n" }),
};

const signals = [
  "HUP",
  "INT",
  "QUIT",
  "ILL",
  "TRAP",
  "ABRT",
  "BUS",
  "FPE",
  "KILL",
  "USR1",
  "SEGV",
  "USR2",
  "PIPE",
  "ALRM",
  "TERM",
];

export const kill: ShellCommand = {
  name: "kill",
  run(args) {
    const [first, ...rest] = args;
    if (first === "-l") {
      const number = Number(rest[0]);
      if (rest.length > 0) return { stdout: `${signals[(number % 128) - 1] ?? number}\n` };
      return { stdout: signals.map((name, at) => `${at + 1}) SIG${name}\n`).join("") };
    }
    // The shell itself is the only process.
    if (first === "-0") return {};
    throw new Error("there are no processes here but the shell itself: nothing to signal");
  },
};

export const ulimit: ShellCommand = {
  name: "ulimit",
  run: (args) => ({ stdout: args.some((arg) => /^\d+$/.test(arg)) ? "" : "unlimited\n" }),
};
