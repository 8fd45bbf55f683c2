import { withHost } from "#host";
import { contentText, type ToolResult } from "@robota/runtime";
import { expect, it } from "vitest";
import type { AccessRules } from "../../../packages/runtime/src/ports/access.ts";
import { editTool } from "../../../packages/runtime/src/tools/builtin/edit.ts";
import { globTool } from "../../../packages/runtime/src/tools/builtin/glob.ts";
import { grepTool } from "../../../packages/runtime/src/tools/builtin/grep.ts";
import { readTool } from "../../../packages/runtime/src/tools/builtin/read.ts";
import { writeTool } from "../../../packages/runtime/src/tools/builtin/write.ts";
import { toolContext } from "../../support/tool-context.ts";
import { worksOnFiles } from "../../support/tool-scenario.ts";

function shown(result: ToolResult | string): string {
  return contentText(typeof result === "string" ? result : result.output);
}

it("works on the host's own files", () => withHost(worksOnFiles));

it("obeys the rules for link targets, on the host's own files", () =>
  withHost(async ({ platform, cwd }) => {
    const { fs } = platform;
    const rules: AccessRules = {
      refusesFile: (path) => (path.startsWith(`${cwd}/secret/`) ? "off limits" : undefined),
      refusesCommand: () => undefined,
    };
    const context = toolContext(platform, { cwd, rules });
    for (const name of ["secret", "src"]) await fs.mkdir(`${cwd}/${name}`);
    await fs.writeFile(`${cwd}/secret/key`, "needle\n");
    await fs.writeFile(`${cwd}/src/a.ts`, "\ufeffneedle\r\nmore\r\n");
    await fs.chmod(`${cwd}/src/a.ts`, 0o755);
    await fs.symlink("secret/key", `${cwd}/out`);
    await fs.symlink("secret", `${cwd}/way`);
    await fs.symlink("src/a.ts", `${cwd}/link`);
    await fs.symlink("secret/new", `${cwd}/dangling`);

    const denied = { success: false, errorCode: "permission_denied" };
    for (const filePath of ["out", "way/key", "secret/key"]) {
      expect(await readTool.execute({ filePath }, context)).toMatchObject(denied);
    }
    for (const filePath of ["out", "way/new", "dangling"]) {
      expect(await writeTool.execute({ filePath, content: "x" }, context)).toMatchObject(denied);
    }
    expect(shown(await readTool.execute({ filePath: "link" }, context))).toBe(
      "     1\tneedle\n     2\tmore",
    );
    const edit = { filePath: "link", oldString: "needle\nmore", newString: "needles\nmore" };
    expect(await editTool.execute(edit, context)).toMatchObject({ success: true });
    const bytes = await fs.readFile(`${cwd}/src/a.ts`);
    expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)).toBe(
      "\ufeffneedles\r\nmore\r\n",
    );
    expect((await fs.stat(`${cwd}/src/a.ts`)).mode).toBe(0o755);
    expect((await fs.lstat(`${cwd}/link`)).type).toBe("symlink");
    expect(shown(await globTool.execute({ pattern: "**" }, context))).toBe(
      `${cwd}/link\n${cwd}/src/a.ts`,
    );
    const search = { pattern: "needle", outputMode: "content" } as const;
    expect(shown(await grepTool.execute(search, context))).toBe(`${cwd}/src/a.ts:1:needles`);
  }));
