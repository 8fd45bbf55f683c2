import { expect, it } from "vitest";
import { ProcessTransport } from "./process-transport.ts";

it("says that it is closed also when the process can't be ended", async () => {
  const transport = new ProcessTransport(async () => ({
    output: new ReadableStream({ start: (controller) => controller.close() }),
    exited: Promise.resolve(0),
    write: async () => undefined,
    end: () => Promise.reject(new Error("The process table can't be read")),
  }));
  const closed = Promise.withResolvers<string>();
  transport.onclose = () => closed.resolve("closed");
  await transport.start();
  expect(await closed.promise).toBe("closed");
});
