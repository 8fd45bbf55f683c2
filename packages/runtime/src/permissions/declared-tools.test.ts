import { describe, expect, it } from "vitest";
import { memoryPlatform } from "../testing/memory-platform.ts";
import { createDefaultTools } from "../tools/builtin/default-tools.ts";
import type { ToolFacts } from "../tools/tool.ts";
import { toolFacts } from "../tools/tool-facts.ts";
import { explainPermission } from "./evaluate-permission.ts";
import type { PermissionContext } from "./call.ts";
import type { PermissionLists, PermissionMode } from "./permission.ts";
import { declared } from "./rules/tool-facts.ts";
import { suggestPattern } from "./rules/suggest.ts";

const WORKSPACE: PermissionContext = { cwd: "/code", roots: ["/code"], home: "/home/user" };

interface Given extends ToolFacts {
  lists?: PermissionLists;
  mode?: PermissionMode;
  untrusted?: boolean;
}

/** The decision about a program's tool, and the step that made it. */
function decide(value: string, { lists = {}, mode = "default", ...context }: Given): string {
  const where = { ...WORKSPACE, patternArgument: "value", ...context };
  const { decision, step } = explainPermission("Own", { value }, mode, lists, where);
  return `${decision} ${step}`;
}

it("has the declared access of each built-in tool, by name", () => {
  for (const tool of createDefaultTools(memoryPlatform(), "/"))
    expect(declared({ name: tool.name }), tool.name).toEqual(toolFacts(tool));
});

describe("a program's tool is judged as the built-in one with the same access", () => {
  it("when it reads a file", () => {
    const reads = { access: "read", patternKind: "path" } as const;
    expect(decide("a.ts", reads)).toBe("auto mode");
    expect(decide("/etc/hosts", reads)).toBe("approve protected");
    expect(decide(".env", reads)).toBe("approve protected");
    expect(decide("lib/a.ts", { ...reads, lists: { deny: ["Read(/lib/**)"] } })).toBe("deny deny");
    expect(decide("lib/a.ts", { ...reads, lists: { deny: ["Write(/lib/**)"] } })).toBe("auto mode");
    const own = { allow: ["Own(//etc/hosts)"] };
    expect(decide("/etc/hosts", { ...reads, lists: own })).toBe("auto allow");
    expect(decide("/etc/hosts", { ...reads, lists: { allow: ["Read(//etc/hosts)"] } })).toBe(
      "approve protected",
    );
  });

  it("when it changes a file", () => {
    const writes = { access: "write", patternKind: "path" } as const;
    expect(decide("a.ts", writes)).toBe("approve mode");
    expect(decide("a.ts", { ...writes, mode: "acceptEdits" })).toBe("auto mode");
    expect(decide(".git/config", { ...writes, mode: "bypassPermissions" })).toBe(
      "approve protected",
    );
    expect(decide("lib/a.ts", { ...writes, lists: { deny: ["Edit(/lib/**)"] } })).toBe("deny deny");
  });

  it("when it runs command lines", () => {
    const runs = { access: "execute", patternKind: "command" } as const;
    expect(decide("rm -rf /", { ...runs, mode: "bypassPermissions" })).toBe("approve protected");
    expect(decide("ls && rm x", { ...runs, lists: { deny: ["Bash(rm *)"] } })).toBe("deny deny");
    expect(decide("cat .env", { ...runs, lists: { deny: ["Read(.env)"] } })).toBe("deny deny");
    expect(decide("npm test", { ...runs, lists: { allow: ["Own(npm *)"] } })).toBe("auto allow");
    expect(decide("npm test", { ...runs, lists: { allow: ["Bash(npm *)"] } })).toBe("approve mode");
    expect(decide("npm test; ls", { ...runs, lists: { allow: ["Own(npm *)"] } })).toBe(
      "approve mode",
    );
  });

  it("when it fetches addresses", () => {
    const fetches = { access: "network", patternKind: "address" } as const;
    const url = "https://a.test/x";
    expect(decide(url, fetches)).toBe("approve mode");
    expect(decide(url, { ...fetches, lists: { deny: ["WebFetch(domain:a.test)"] } })).toBe(
      "deny deny",
    );
    expect(decide(url, { ...fetches, lists: { allow: ["WebFetch(domain:a.test)"] } })).toBe(
      "approve mode",
    );
    const suggested = suggestPattern(
      "Own",
      { value: url },
      { ...fetches, patternArgument: "value" },
    );
    expect(suggested).toBe("Own(domain:a.test)");
    const given = { ...fetches, lists: { allow: [suggested ?? ""] } };
    expect(decide(url, given)).toBe("auto allow");
    expect(decide("https://b.test", given)).toBe("approve mode");
  });
});

describe("a tool that reaches other machines", () => {
  it("is denied in plan mode when it changes something there", () => {
    expect(decide("x", { access: "network", mode: "plan" })).toBe("approve mode");
    expect(decide("x", { access: "network-write", mode: "plan" })).toBe("deny mode");
    expect(decide("x", { access: "network-write", mode: "acceptEdits" })).toBe("approve mode");
  });

  it.each(["network", "network-write", "agent"] as const)(
    "needs approval again after an untrusted result, when its access is %s",
    (access) => {
      const lists = { allow: ["Own(x*)"] };
      expect(decide("xy", { access, lists })).toBe("auto allow");
      expect(decide("xy", { access, lists, untrusted: true })).toBe("approve protected");
      expect(decide("xy", { access, lists: { allow: ["Own(xy)"] }, untrusted: true })).toBe(
        "auto allow",
      );
    },
  );
});
