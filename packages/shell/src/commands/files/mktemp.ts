import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

export const mktemp: ShellCommand = {
  name: "mktemp",
  async run(args, { fs, env, resolve }) {
    const { options, operands } = parseArguments(args, {
      flags: "dqut",
      valued: "p",
      long: { directory: "d", tmpdir: "p", "dry-run": "u", quiet: "q", suffix: "suffix" },
    });
    const template = operands[0] ?? "tmp.XXXXXXXXXX";
    const [, head, marks, tail] = /^(.*?)(X{3,})([^X]*)$/.exec(template) ?? [];
    if (marks === undefined) throw new Error(`too few X's in template '${template}'`);
    const random = Array.from(crypto.getRandomValues(new Uint8Array(marks.length)), (byte) =>
      (byte % 36).toString(36),
    ).join("");
    const name = `${head}${random}${tail}${options.get("suffix") ?? ""}`;
    const isInTemporary = operands.length === 0 || options.has("p") || options.has("t");
    const directory = options.get("p") || env["TMPDIR"] || "/tmp";
    const path = isInTemporary ? `${directory}/${name}` : name;
    if (!options.has("u")) {
      if (options.has("d")) await fs.mkdir(resolve(path));
      else await fs.writeFile(resolve(path), "");
      await fs.chmod(resolve(path), options.has("d") ? 0o700 : 0o600);
    }
    return { stdout: `${path}\n` };
  },
};
