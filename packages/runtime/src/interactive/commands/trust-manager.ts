import { ValidationError } from "../../errors.ts";
import {
  loadSettings,
  type LoadSettingsOptions,
  type SettingsPlatform,
} from "../settings/load-settings.ts";
import {
  forgetTrust,
  type RememberedTrust,
  rememberedTrust,
  type WorkspaceTrustRequest,
} from "../settings/workspace-trust.ts";

/** The parts of a workspace that need trust as they are now, and the yes that is remembered for it. */
export interface TrustReview {
  /** Absent when nothing in the workspace needs trust. */
  request: Pick<WorkspaceTrustRequest, "cwd" | "findings" | "digest"> | undefined;
  remembered: RememberedTrust | undefined;
}

/** A person's trust in the workspace of a session. */
export interface TrustManager {
  /** The program's own decision for this session, which counts before a remembered yes. */
  readonly decided: boolean | undefined;
  review(): Promise<TrustReview>;
  /**
   * Remembers a yes to the parts with this digest.
   * @throws {ValidationError} when the workspace has others by now
   */
  grant(digest: string): Promise<void>;
  /** Forgets the yes, and takes trust from this session. Resolves to false when none was remembered. */
  revoke(): Promise<boolean>;
}

/** The trust of one session. `onRevoked`: called when a person has taken it back. */
export function trustManager(
  platform: SettingsPlatform,
  options: LoadSettingsOptions,
  onRevoked: () => void,
): TrustManager {
  const { cwd, trustWorkspace } = options;
  return {
    decided: typeof trustWorkspace === "boolean" ? trustWorkspace : undefined,
    review: async () => {
      const requests: WorkspaceTrustRequest[] = [];
      await loadSettings(platform, {
        ...options,
        trustWorkspace: false,
        onTrustParts: (found) => requests.push(found),
      });
      return { request: requests[0], remembered: await rememberedTrust(platform, cwd) };
    },
    grant: async (digest) => {
      let isOther = false;
      await loadSettings(platform, {
        ...options,
        onTrustParts: (found) => (isOther = found.digest !== digest),
        trustWorkspace: () => !isOther,
      });
      if (!isOther) return;
      throw new ValidationError("The workspace is not what was shown any more", {
        hint: "Look at it again with /trust grant, and confirm that.",
      });
    },
    revoke: async () => {
      onRevoked();
      return forgetTrust(platform, cwd);
    },
  };
}
