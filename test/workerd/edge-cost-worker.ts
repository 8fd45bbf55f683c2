// The worker with objects that count what Cloudflare bills: requests, rows, and how long an object was at work.
import { SessionDirectory as Directory } from "../../apps/edge-worker/src/session-directory.ts";
import { SessionObject as Session } from "../../apps/edge-worker/src/session-object.ts";
import worker from "../../apps/edge-worker/src/worker.ts";

interface Counts {
  /** Requests to the worker. */
  worker: number;
  /** Requests to objects: HTTP, calls of methods, and alarms. */
  objects: number;
  rowsRead: number;
  rowsWritten: number;
  /** Milliseconds in which an object answered something, of all objects. */
  objectMs: number;
  /** Alarms that are set at the moment, of all objects. */
  alarms: number;
  /** Timers that have not fired, of all objects. */
  timers: number;
  /** Bytes of all databases. */
  bytes: number;
}

const counts = { worker: 0, objects: 0, objectMs: 0, key: { read: 0, written: 0 } };
const timers = new Set<unknown>();

// A timer keeps an object in memory, which is billed.
for (const [set, clear, isOnce] of [
  ["setTimeout", "clearTimeout", true],
  ["setInterval", "clearInterval", false],
] as const) {
  const begin: (work: (...given: unknown[]) => void, ms?: number) => unknown = globalThis[set];
  const end: (id: never) => void = globalThis[clear];
  Object.assign(globalThis, {
    [set]: (work: (...given: unknown[]) => void, ms?: number) => {
      const id = begin(() => {
        if (isOnce) timers.delete(id);
        work();
      }, ms);
      timers.add(id);
      return id;
    },
    [clear]: (id: never) => {
      timers.delete(id);
      end(id);
    },
  });
}

/** Rows are known once a cursor is read. */
const cursors: { rowsRead: number; rowsWritten: number }[] = [];
const rows = { read: 0, written: 0 };
/** The stored bytes of each object, and whether its alarm is set. */
const objects = new Map<string, { bytes: number; hasAlarm: boolean }>();

/** Makes the storage of an object count. */
function count(state: DurableObjectState): void {
  const { storage } = state;
  const found = { bytes: 0, hasAlarm: false };
  objects.set(state.id.toString(), found);
  const { sql, kv } = storage;
  const exec = sql.exec.bind(sql);
  Object.defineProperty(sql, "exec", {
    value: (...given: Parameters<typeof exec>) => {
      const cursor = exec(...given);
      cursors.push(cursor);
      if (cursors.length > 1000) settle();
      return cursor;
    },
  });
  for (const name of ["get", "put", "delete", "list"] as const) {
    const method: (...given: never[]) => unknown = kv[name].bind(kv);
    Object.defineProperty(kv, name, {
      value: (...given: never[]) => {
        counts.key[name === "put" || name === "delete" ? "written" : "read"] += 1;
        return method(...given);
      },
    });
  }
  const setAlarm = storage.setAlarm.bind(storage);
  Object.defineProperty(storage, "setAlarm", {
    value: (time: number) => {
      counts.key.written += 1;
      found.hasAlarm = true;
      return setAlarm(time);
    },
  });
  const deleteAlarm = storage.deleteAlarm.bind(storage);
  Object.defineProperty(storage, "deleteAlarm", {
    value: () => {
      found.hasAlarm = false;
      return deleteAlarm();
    },
  });
}

function settle(): void {
  for (const { rowsRead, rowsWritten } of cursors.splice(0)) {
    rows.read += rowsRead;
    rows.written += rowsWritten;
  }
}

/** Counts one piece of an object's work, and the time until its answer is complete. */
async function timed(state: DurableObjectState, work: () => unknown): Promise<unknown> {
  counts.objects += 1;
  const start = Date.now();
  const result = await work();
  const end = (): void => {
    counts.objectMs += Date.now() - start;
    const found = objects.get(state.id.toString());
    if (found) found.bytes = state.storage.sql.databaseSize;
  };
  if (!(result instanceof Response) || !result.body) {
    end();
    return result;
  }
  const { readable, writable } = new TransformStream();
  result.body.pipeTo(writable).then(end, end);
  return new Response(readable, result);
}

function counted<Class extends typeof Session | typeof Directory>(base: Class): void {
  const names = Object.getOwnPropertyNames(base.prototype).filter((name) => name !== "constructor");
  for (const name of names) {
    const method: unknown = Reflect.get(base.prototype, name);
    if (typeof method !== "function") continue;
    Object.defineProperty(base.prototype, name, {
      value(this: { ctx: DurableObjectState }, ...given: unknown[]) {
        if (name === "alarm") rung(this.ctx);
        return timed(this.ctx, () => Reflect.apply(method, this, given));
      },
    });
  }
}

/** An alarm that rings is set no more. */
function rung({ id }: DurableObjectState): void {
  const found = objects.get(id.toString());
  if (found) found.hasAlarm = false;
}

counted(Session);
counted(Directory);

export class SessionObject extends Session {
  constructor(...[state, env]: ConstructorParameters<typeof Session>) {
    count(state);
    super(state, env);
  }
}

export class SessionDirectory extends Directory {
  constructor(...[state, env]: ConstructorParameters<typeof Directory>) {
    count(state);
    super(state, env);
  }
}

function report(): Counts {
  settle();
  const all = [...objects.values()];
  return {
    worker: counts.worker,
    objects: counts.objects,
    rowsRead: rows.read + counts.key.read,
    rowsWritten: rows.written + counts.key.written,
    objectMs: counts.objectMs,
    alarms: all.filter(({ hasAlarm }) => hasAlarm).length,
    timers: timers.size,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname === "/counts") return Response.json(report());
    counts.worker += 1;
    return worker.fetch(request, env);
  },
} satisfies ExportedHandler<Parameters<typeof worker.fetch>[1]>;
