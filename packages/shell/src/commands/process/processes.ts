import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

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

/** By their numbers on Linux; those for programs' own use, from 34 on, have none there. */
const signals = (
  "EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT " +
  "CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
).split(" ");

export const kill: ShellCommand = {
  name: "kill",
  run(args) {
    const [first, ...rest] = args;
    if (first === "-l") {
      if (rest.length > 0) return translated(rest);
      const listed = signals.map((name, at) => `${at}) SIG${name}\n`).slice(1);
      return { stdout: listed.join("") };
    }
    // The shell itself is the only process.
    if (first === "-0") return {};
    throw new Error("there are no processes here but the shell itself: nothing to signal");
  },
};

/** Names of numbers and of exit statuses, and numbers of names. */
function translated(words: readonly string[]): ShellCommandResult {
  let [stdout, stderr] = ["", ""];
  for (const word of words) {
    const number = Number(word);
    const found = /^\d+$/.test(word)
      ? signals[number > 128 ? number - 128 : number]
      : signals.indexOf(word.toUpperCase().replace(/^SIG/, ""));
    if (found === undefined || found === -1)
      stderr += `bash: kill: ${word}: invalid signal specification\n`;
    else stdout += `${found}\n`;
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
}

export const ulimit: ShellCommand = {
  name: "ulimit",
  run: (args) => ({ stdout: args.some((arg) => /^\d+$/.test(arg)) ? "" : "unlimited\n" }),
};
