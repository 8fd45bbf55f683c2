import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

/** Prints the name of a machine that there is not: `-s`, `-f`, `-i`, `-I`, `-d`. */
export const hostname: ShellCommand = {
  name: "hostname",
  run(args) {
    const { options, operands } = parseArguments(args, {
      flags: "adfiIs",
      long: {
        alias: "a",
        domain: "d",
        fqdn: "f",
        long: "f",
        "ip-address": "i",
        "all-ip-addresses": "I",
        short: "s",
      },
    });
    if (operands.length > 0) throw new Error("you must be root to change the host name");
    if (options.has("i") || options.has("I")) return { stdout: "127.0.0.1\n" };
    return { stdout: options.has("d") || options.has("a") ? "\n" : "localhost\n" };
  },
};
