import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

const system: Record<string, string> = {
  s: "Linux",
  n: "localhost",
  r: "6.0.0-virtual",
  v: "#1",
  m: "x86_64",
  o: "GNU/Linux",
};

export const uname: ShellCommand = {
  name: "uname",
  run(args) {
    const { options } = parseArguments(args, {
      flags: "asnrvmpio",
      long: {
        all: "a",
        "kernel-name": "s",
        nodename: "n",
        "kernel-release": "r",
        machine: "m",
        "operating-system": "o",
      },
    });
    const wanted = Object.keys(system).filter((name) => options.has("a") || options.has(name));
    if (options.has("p") || options.has("i")) wanted.push("m");
    const names = wanted.length > 0 ? wanted : ["s"];
    return { stdout: `${names.map((name) => system[name]).join(" ")}\n` };
  },
};
