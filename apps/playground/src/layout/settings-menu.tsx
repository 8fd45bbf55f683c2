import { Settings2 } from "lucide-react";
import { SettingsPanel } from "../lazy.ts";
import { Popover } from "../ui/popover.tsx";
import { RegionBoundary } from "../ui/region-boundary.tsx";

export function SettingsMenu() {
  return (
    <Popover label="Settings" button={<Settings2 size={17} />}>
      <RegionBoundary name="Settings">
        <SettingsPanel />
      </RegionBoundary>
    </Popover>
  );
}
