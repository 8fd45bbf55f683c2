import type { ShellCommand } from "../../command.ts";
import { compilePattern, loadRe2, translate } from "../search/pattern.ts";

/** Adds groups, and patterns that begin anywhere, to the bundle's `:`. */
export const expr: ShellCommand = {
  name: "expr",
  async run(args, context) {
    const [text, colon, pattern] = args;
    if (args.length !== 3 || colon !== ":" || text === undefined || pattern === undefined)
      return context.original(args);
    const hasGroup = /(?<!\\)(?:\\\\)*\\\(/.test(pattern);
    if (hasGroup) {
      const { RE2JS } = await loadRe2();
      const matcher = RE2JS.compile(`^(?:${translate(pattern, false)})`).matcher(text);
      const group = matcher.find() ? (matcher.group(1) ?? "") : "";
      return { stdout: `${group}\n`, exitCode: group === "" || group === "0" ? 1 : 0 };
    }
    const compiled = await compilePattern([`^${pattern.replace(/^\^/, "")}`], { dialect: "basic" });
    const match = compiled.find(text, 0);
    const length = match ? match.end - match.start : 0;
    return { stdout: `${length}\n`, exitCode: length === 0 ? 1 : 0 };
  },
};
