import { describe, expect, it } from "vitest";
import { SETTINGS, tryLines } from "../../shell-lines/judge.ts";
import { canRunLines, openShellWorld } from "../../shell-lines/run.ts";

/** A sample of what `npm run lines -- 100000` tries. */
const LINES = 150;

describe.runIf(canRunLines())("generated lines that run without approval in real bash", () => {
  it.each(SETTINGS)("run only commands that $name allowed", async (setting) => {
    using world = openShellWorld();
    const seeds = Array.from({ length: LINES }, (_, index) => 7000 + index);
    const { wrong, lines, ran, asked, refused } = await tryLines(world, setting, seeds);
    expect(wrong).toEqual([]);
    expect(ran + asked + refused).toBe(lines);
    expect(lines).toBe(LINES);
  });

  it("are checked by programs that record their runs, behind every kind of launcher", async () => {
    using world = openShellWorld();
    expect(await world.run("rm x && alpha 'a b' | beta")).toEqual(
      expect.arrayContaining(["rm x", "alpha a b", "beta "]),
    );
    expect(await world.run("hand -x rm y; say 'rm z'; opt --run='rm v'")).toEqual(
      expect.arrayContaining(["rm y", "rm z", "rm v"]),
    );
    expect(await world.run("env -i PATH=\"$PATH\" nice sh -c 'rm x' & wait")).toEqual(["rm x"]);
    expect(await world.run("ls; cat data")).toEqual([]);
  });
});
