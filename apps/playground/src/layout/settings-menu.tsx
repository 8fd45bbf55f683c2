import { Settings2 } from "lucide-react";
import { Suspense } from "react";
import { SettingsPanel } from "../lazy.ts";
import { Popover } from "../ui/popover.tsx";

export function SettingsMenu({ onKeyboardMap }: { onKeyboardMap: () => void }) {
  return (
    <Popover label="Settings" button={<Settings2 size={17} />}>
      <Suspense>
        <SettingsPanel onKeyboardMap={onKeyboardMap} />
      </Suspense>
    </Popover>
  );
}
