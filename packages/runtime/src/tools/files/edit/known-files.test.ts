import { expect, it } from "vitest";
import { oneAtATime, remember, requireKnown } from "./known-files.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

it("permits a change only of the content that was read", async () => {
  const context = { memory: new Map<string, string>() };
  await expect(requireKnown(context, "/a", bytes("one"))).rejects.toMatchObject({
    code: "not_read",
  });
  await remember(context, "/a", bytes("one"));
  await requireKnown(context, "/a", bytes("one"));
  await expect(requireKnown(context, "/a", bytes("two"))).rejects.toMatchObject({ code: "stale" });
});

it("runs changes of one file sequentially, also after a failure", async () => {
  const context = { state: new Map<string, unknown>() };
  const order: string[] = [];
  const change = (path: string, name: string) =>
    oneAtATime(context, path, async () => {
      order.push(`${name} starts`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(`${name} ends`);
      if (name === "first") throw new Error("first failed");
    });
  const all = [change("/a", "first"), change("/a", "second"), change("/b", "other")];
  await expect(all[0]).rejects.toThrow("first failed");
  await Promise.all(all.slice(1));
  expect(order.indexOf("second starts")).toBeGreaterThan(order.indexOf("first ends"));
  expect(order.indexOf("other starts")).toBeLessThan(order.indexOf("first ends"));
});
