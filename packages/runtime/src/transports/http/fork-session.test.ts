import { expect, it } from "vitest";
import { forkOverHost } from "./fork-session.ts";
import { HttpProblem, problemResponse, tooManySessions } from "./problem.ts";
import type { SessionGateway, SessionHost } from "./session-host.ts";

const PRINCIPAL = { owner: "ann", scopes: ["admin"] as const };

/** A host with one session, whose export tells when it is given up, and which takes no other one. */
function host(refusal: "create" | "open" | "import" | "network") {
  const exported = Promise.withResolvers<void>();
  const original: SessionGateway = {
    async fetch() {
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
        controller.enqueue(new Uint8Array(1));
      return new Response(new ReadableStream({ pull, cancel: () => exported.resolve() }));
    },
  };
  const fork: SessionGateway = {
    async fetch() {
      if (refusal === "network") throw new TypeError("network error");
      return problemResponse(new HttpProblem(413, "BODY_TOO_LARGE", "Too large."));
    },
  };
  const deleted: string[] = [];
  const sessions: SessionHost = {
    async create() {
      if (refusal === "create") throw tooManySessions(1);
    },
    list: async () => [],
    async open(_, id) {
      if (id === "original") return original;
      return refusal === "open" ? undefined : fork;
    },
    delete: async (_, id) => deleted.push(id) > 0,
  };
  return { sessions, deleted, givenUp: exported.promise };
}

it.each([
  ["create", "TOO_MANY_SESSIONS"],
  ["open", "NOT_FOUND"],
  ["import", "BODY_TOO_LARGE"],
  ["network", undefined],
] as const)("gives the export up that nobody takes: %s", async (refusal, code) => {
  const { sessions, deleted, givenUp } = host(refusal);
  const forking = forkOverHost(sessions, PRINCIPAL, { id: "original" });
  await expect(forking).rejects.toMatchObject(code ? { code } : { message: "network error" });
  await givenUp;
  expect(deleted).toHaveLength(refusal === "create" ? 0 : 1);
});
