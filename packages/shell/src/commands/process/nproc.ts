import type { ShellCommand } from "../../command.ts";

export const nproc: ShellCommand = { name: "nproc", run: () => ({ stdout: "1\n" }) };
