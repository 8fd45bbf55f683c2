import type { ShellCommand, ShellCommandResult } from "../../command.ts";

/** Signals by their numbers on Linux; real-time signals, from 34 on, have no names here. */
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
    throw new Error("the shell is the only process: nothing to signal");
  },
};

/** Converts numbers and exit statuses to names, and names to numbers. */
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
