import type { ShellCommand } from "../../command.ts";

export const groups: ShellCommand = { name: "groups", run: () => ({ stdout: "user\n" }) };
