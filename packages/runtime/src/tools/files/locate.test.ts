import { expect, it } from "vitest";
import { locate, nearNames } from "./locate.ts";

it("resolves paths from the working directory", () => {
  expect(locate({ cwd: "/code" }, "src/../a.ts")).toBe("/code/a.ts");
  expect(locate({ cwd: "/code" }, "/etc/hosts")).toBe("/etc/hosts");
});

it("suggests likely intended paths", () => {
  const names = ["index.tsx", "README.md", "user-service.ts", "users.ts", "zebra.txt"];
  expect(nearNames("index.ts", names)).toEqual(["index.tsx"]);
  expect(nearNames("readme.MD", names)).toEqual(["README.md"]);
  expect(nearNames("user-servise.ts", names)).toEqual(["user-service.ts"]);
  expect(nearNames("user.ts", names)[0]).toBe("users.ts");
  expect(nearNames("nothing-like-it", names)).toEqual([]);
});
