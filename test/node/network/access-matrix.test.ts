import { expect, it } from "vitest";
import { checkMatrix, MATRIX_TOKENS } from "../../support/network/access-matrix.ts";
import { checkSocketMatrix } from "../../support/network/socket-matrix.ts";
import { serveSessions } from "../../support/protocols/session-server.ts";

const ANONYMOUS = `anonymous-${"x".repeat(43)}`;

it("answers every operation to every caller as the matrix of access says, over HTTP in Node", async () => {
  await using server = await serveSessions({ tokens: MATRIX_TOKENS });
  expect(await checkMatrix({ url: server.url, isOpen: false }, "")).toBeGreaterThan(300);
});

it("answers every operation to every caller over a socket, too", async () => {
  await using server = await serveSessions({ tokens: MATRIX_TOKENS });
  expect(await checkSocketMatrix({ url: server.url, isOpen: false }, "")).toBeGreaterThan(270);
});

it("does so where callers without a token are let in", async () => {
  await using server = await serveSessions({ tokens: MATRIX_TOKENS, anonymousOwner: "anonymous" });
  expect(await checkMatrix({ url: server.url, isOpen: true }, ANONYMOUS)).toBeGreaterThan(350);
});

it("does so over a socket, too", async () => {
  // Its sessions share their files, which the matrix changes.
  await using server = await serveSessions({ tokens: MATRIX_TOKENS, anonymousOwner: "anonymous" });
  expect(await checkSocketMatrix({ url: server.url, isOpen: true }, ANONYMOUS)).toBeGreaterThan(
    300,
  );
});
