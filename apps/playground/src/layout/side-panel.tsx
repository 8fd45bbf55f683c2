import { useReadable } from "@robota/react";
import type { ComponentType } from "react";
import { inspectorOpen, panelOpen } from "../state/preferences.ts";
import { RegionBoundary } from "../ui/region-boundary.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { PHONE, useMedia } from "../ui/use-media.ts";
import { panelRegions, panels } from "./panels.ts";
import { Splitter } from "./splitter.tsx";
import { chosenPanel, inFront, showPanel } from "./view.ts";

/** The regions beside the conversation that are open; on a phone, the one in front. */
export function SidePanel() {
  const phone = useMedia(PHONE);
  const front = useReadable(inFront);
  const isOpen = { workspace: useReadable(panelOpen), inspector: useReadable(inspectorOpen) };
  const shown = panelRegions.filter(({ id }) => (phone ? id === front : isOpen[id]));
  if (shown.length === 0) return null;
  return (
    <div data-part="side-panel">
      <Splitter />
      {shown.map((region) => (
        <PanelRegion key={region.id} region={region} />
      ))}
    </div>
  );
}

function PanelLabel({ panel }: { panel: (typeof panels)[number] }) {
  const Badge: ComponentType | undefined = "Badge" in panel ? panel.Badge : undefined;
  return (
    <>
      {panel.label}
      {Badge && <Badge />}
    </>
  );
}

function PanelRegion({
  region: { id, label, Actions },
}: {
  region: (typeof panelRegions)[number];
}) {
  const chosen = useReadable(chosenPanel[id]);
  const ofRegion = panels.filter((panel) => panel.region === id);
  const panel = ofRegion.find((each) => each.id === chosen) ?? ofRegion[0];
  if (!panel) return null;
  const Panel: ComponentType = panel.Panel;
  return (
    <aside
      data-part="panel-region"
      data-region
      data-single={ofRegion.length === 1 || undefined}
      aria-label={label}
      tabIndex={-1}
    >
      <Tabs
        label={label}
        tabs={ofRegion.map((each) => ({ id: each.id, label: <PanelLabel panel={each} /> }))}
        selected={panel.id}
        onSelect={(panelId) => showPanel(id, panelId)}
        actions={
          Actions && (
            <RegionBoundary name="Actions" isCompact>
              <Actions />
            </RegionBoundary>
          )
        }
      >
        <RegionBoundary key={panel.id} name={panel.label}>
          <Panel />
        </RegionBoundary>
      </Tabs>
    </aside>
  );
}
