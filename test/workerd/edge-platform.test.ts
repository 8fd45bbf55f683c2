import { runInDurableObject } from "cloudflare:test";
import { edgePlatform } from "@robota/adapters-edge";
import { shellContract } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { runContract } from "../run-contract.ts";
import { insideObject, newObject } from "./inside-object.ts";

runContract(
  "Durable Object shell",
  insideObject((state) =>
    shellContract(async () => {
      const { fs, shell } = edgePlatform(state());
      await fs.mkdir("/project");
      return { fs, shell, cwd: "/project" };
    }),
  ),
);

it("shows texts of the worker's environment by name, and no bindings", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const platform = edgePlatform(state, { KEY: "secret", BINDING: { fetch() {} } });
    expect(platform.env("KEY")).toBe("secret");
    expect([platform.env("BINDING"), platform.env("toString")]).toEqual([undefined, undefined]);
  });
});

it("runs commands over the object's files", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { fs, shell } = edgePlatform(state);
    await fs.mkdir("/project");
    await fs.writeFile("/project/words", "one\ntwo\nthree\n");
    const result = await shell.exec("grep -c o words > count; cat count", { cwd: "/project" });
    expect([result.exitCode, result.stdout]).toEqual([0, "2\n"]);
    expect(new TextDecoder().decode(await fs.readFile("/project/count"))).toBe("2\n");
  });
});

it("ends an endless loop by counting, where a clock may stand still", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const platform = edgePlatform(state, {}, { shellLimits: { loopIterations: 1000 } });
    const { exitCode, stderr } = await platform.shell.exec("while true; do :; done", { cwd: "/" });
    expect(exitCode).toBe(126);
    expect(stderr).not.toBe("");
  });
});
