import { memo } from "react";
import type { Divider } from "@robota/react/store";

export const DividerView = memo(function DividerView({ divider }: { divider: Divider }) {
  return (
    <div data-part="divider">
      {divider.detail ? (
        <details>
          <summary>{divider.label}</summary>
          <div>{divider.detail}</div>
        </details>
      ) : (
        <span>{divider.label}</span>
      )}
    </div>
  );
});
