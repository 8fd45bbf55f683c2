import { sha256 } from "../../digest.ts";
import { errorMessage, FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Platform } from "../../ports/platform.ts";
import { BundleError } from "./bundle-error.ts";
import { bundlePlace } from "./registry.ts";

/** The part of a platform that keeps approvals: outside of the files that a session, an import or a project can write. */
export type ApprovalHost = Pick<Platform, "storage" | "now">;

/** An approval of one exact content in one place. */
export interface Approval {
  /** The bundle's place; another version has another one. */
  place: string;
  digest: string;
}

/** Reports whether a person has approved this content here. */
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

/** The approval of a version in a directory of bundles, by where that really is. */
export async function approvalOf(
  fs: FileSystem,
  directory: string,
  name: string,
  digest: string,
): Promise<Approval> {
  return { place: bundlePlace(await realPath(fs, directory), name, digest), digest };
}

async function realPath(fs: FileSystem, path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return path;
    throw new BundleError("BUNDLE_INVALID", `${path} can't be used: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
