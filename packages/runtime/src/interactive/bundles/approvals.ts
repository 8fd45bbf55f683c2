import { sha256 } from "../../digest.ts";
import type { Platform } from "../../ports/platform.ts";

/** The part of a platform that keeps approvals: outside of the files that a session, an import or a project can write. */
export type ApprovalHost = Pick<Platform, "storage" | "now">;

/** An approval of one exact content in one place. */
export interface Approval {
  /** The bundle's place; another version has another one. */
  place: string;
  digest: string;
}

/** Tells whether a person has approved this content here. */
export async function isApproved({ storage }: ApprovalHost, approval: Approval): Promise<boolean> {
  return (await storage.get(await keyOf(approval))) !== undefined;
}

/** Remembers a person's yes. */
export async function approve(host: ApprovalHost, approval: Approval): Promise<void> {
  const record = { v: 1, ...approval, at: host.now() };
  await host.storage.set(await keyOf(approval), new TextEncoder().encode(JSON.stringify(record)));
}

/** Forgets a yes, such as to a version that is removed. */
export async function forget({ storage }: ApprovalHost, approval: Approval): Promise<void> {
  await storage.delete(await keyOf(approval));
}

async function keyOf({ place, digest }: Approval): Promise<string> {
  return `bundle-approvals/${await sha256(`${place}\0${digest}`)}`;
}
