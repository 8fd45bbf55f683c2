import { describe, expect, it } from "vitest";
import type { HookDefinition, HooksConfig } from "./definition.ts";
import { PreparedHooks } from "./prepare.ts";

const hook = (fields: Partial<HookDefinition> = {}): HookDefinition =>
  ({ type: "command", command: "check", ...fields }) as HookDefinition;

const prepared = (matcher: string, ...hooks: HookDefinition[]): PreparedHooks => {
  const config: HooksConfig = { PreToolUse: [{ matcher, hooks }] };
  return new PreparedHooks(config);
};

describe("prepared hooks", () => {
  it("have a timeout of ten seconds by default", async () => {
    const hooks = prepared("", hook(), hook({ type: "command", command: "slow", timeout: 60 }));
    const { hooks: selected } = await hooks.select("PreToolUse", "Bash");
    expect(selected.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 60_000]);
  });

  it.each([{ onFailure: "blok" }, { onFailuer: "block" }])(
    "block when what should make them block is misspelt: %j",
    async (fields) => {
      const guard = hook(fields as Partial<HookDefinition>);
      const { hooks: selected } = await prepared("", guard).select("PreToolUse", "Bash");
      expect(selected).toMatchObject([
        { onFailure: "block", problem: expect.stringContaining(Object.keys(fields)[0] ?? "") },
      ]);
    },
  );

  it("with an invalid matcher block as guards, and otherwise do not run", async () => {
    const guard = hook({ onFailure: "block" });
    const hooks = prepared("^(?!Read$).*", guard, hook({ type: "command", command: "note" }));
    for (const tool of ["Bash", "Read"]) {
      const { hooks: selected, warnings } = await hooks.select("PreToolUse", tool);
      expect(selected).toMatchObject([
        { onFailure: "block", label: "command check", problem: expect.stringContaining("(?!") },
      ]);
      expect(selected[0]).not.toHaveProperty("hook");
      expect(warnings).toEqual([
        expect.stringMatching(/^The matcher "\^\(\?!Read\$\)\.\*" can't be read/),
      ]);
      // A call must not pass for lack of a usable hook.
      expect(hooks.has("PreToolUse", tool)).toBe(true);
    }
    const alone = await prepared("Bash(", guard).select("PreToolUse", "Read");
    expect([alone.hooks.length, alone.warnings]).toEqual([1, []]);
  });
});
