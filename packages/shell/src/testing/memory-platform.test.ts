import { expect, it } from "vitest";
import { memoryPlatform } from "./index.ts";

// The interpreter loads with the first command, which takes time on a busy machine.
it("runs commands over the platform's files", async () => {
  const platform = memoryPlatform({ files: { "/code/a.txt": "line\n" } });
  const result = await platform.shell.exec("cat a.txt > b.txt; wc -l < b.txt", { cwd: "/code" });
  expect(result.stdout.trim()).toBe("1");
  const bytes = await platform.fs.readFile("/code/b.txt");
  expect(new TextDecoder().decode(bytes)).toBe("line\n");
});
