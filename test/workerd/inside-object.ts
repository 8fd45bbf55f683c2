import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { ContractCase } from "@robota/runtime/testing";
import type { TestObject } from "./worker.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_OBJECT: DurableObjectNamespace<TestObject>;
    }
  }
}

/** A Durable Object that nobody has used. */
export function newObject(): DurableObjectStub<TestObject> {
  return env.TEST_OBJECT.get(env.TEST_OBJECT.newUniqueId());
}

/** The cases of a contract, each run inside a new Durable Object, whose state `list` can ask for while one runs. */
export function insideObject(
  list: (state: () => DurableObjectState) => readonly ContractCase[],
): ContractCase[] {
  let current: DurableObjectState | undefined;
  const state = (): DurableObjectState => {
    if (!current) throw new Error("no case is running");
    return current;
  };
  return list(state).map((contractCase) => ({
    ...contractCase,
    run: () =>
      runInDurableObject(newObject(), async (_, own) => {
        current = own;
        await contractCase.run();
      }),
  }));
}

/** Compares large contents in no time: a test runner's own comparison takes seconds for megabytes. */
export async function digest(bytes: Uint8Array | undefined): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes ?? new Uint8Array());
  return new Uint8Array(hash).toHex();
}
