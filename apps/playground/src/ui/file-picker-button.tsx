import { type ReactNode, useRef } from "react";
import { IconButton } from "./button.tsx";

export interface FilePickerButtonProps {
  label: string;
  icon: ReactNode;
  onFiles: (files: readonly File[]) => void;
}

/** Lets a person choose files of their machine. */
export function FilePickerButton({ label, icon, onFiles }: FilePickerButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={label} icon={icon} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = "";
        }}
      />
    </>
  );
}
