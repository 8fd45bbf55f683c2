import {
  isAnonymousOwner,
  type ModelUse,
  type Refusal,
  type StreamCounter,
  type UsageLimits,
  type UseMeter,
} from "@robota/runtime/transports";
import { ANONYMOUS } from "./anonymous.ts";

/** The directory where a principal is counted: that of an anonymous caller's address, where it is known. */
export function countingDirectory<Stub>(
  directories: { idFromName(name: string): DurableObjectId; get(id: DurableObjectId): Stub },
  { owner, countedIn }: { owner: string; countedIn?: string | undefined },
): Stub {
  const name = isAnonymousOwner(ANONYMOUS, owner) ? (countedIn ?? owner) : owner;
  return directories.get(directories.idFromName(name));
}

/** A principal's directory, as far as it counts. */
export interface CountingDirectory {
  openStream(limits: UsageLimits, id: string): Promise<Refusal | undefined>;
  renewStreams(ids: string[]): Promise<void>;
  closeStreams(ids: string[]): Promise<void>;
  reserveUse(limits: UsageLimits, use: ModelUse): Promise<Refusal | undefined>;
  settleUse(settled: Parameters<UseMeter["settle"]>[0]): Promise<void>;
}

/** Counts the streams of a session at its principal's directory. */
export function countStreamsIn(
  directoryOf: (owner: string) => CountingDirectory,
  limits: UsageLimits,
): StreamCounter {
  return {
    open: async (owner, id) => directoryOf(owner).openStream(limits, id),
    renew: async (owner, ids) => directoryOf(owner).renewStreams([...ids]),
    close: async (owner, id) => directoryOf(owner).closeStreams([id]),
  };
}

/** Counts what models use at a principal's directory. */
export function meterAt(
  directory: CountingDirectory,
  { limits, costOf }: { limits: UsageLimits; costOf: UseMeter["costOf"] },
): UseMeter {
  return {
    costOf,
    reserve: async (use) => directory.reserveUse(limits, use),
    settle: async (settled) => directory.settleUse(settled),
  };
}
