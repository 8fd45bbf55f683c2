import { afterEach, expect, it, vi } from "vitest";
import { authenticate } from "./authenticate.ts";

afterEach(() => vi.restoreAllMocks());

it.each(["Bearer ", "Bearer", "bearer ", "Bearer  ", "", " "])(
  "never accepts an empty token, even when one is configured: %j",
  async (header) => {
    const tokens = { ann: "", bob: "bob-secret" };
    await expect(authenticate(header, { tokens })).rejects.toMatchObject({ status: 401 });
  },
);

it("compares every token by its digest, regardless of position and similarity", async () => {
  const digest = vi.spyOn(crypto.subtle, "digest");
  const tokens = { ann: "ann-secret", bob: "bob-secret", eve: "eve-secret" };
  const counts: number[] = [];
  for (const token of ["ann-secret", "eve-secret", "ann-secre_", "x"]) {
    digest.mockClear();
    await authenticate(`Bearer ${token}`, { tokens }).catch(() => undefined);
    counts.push(digest.mock.calls.length);
  }
  expect(counts).toEqual([7, 7, 7, 7]);
});
