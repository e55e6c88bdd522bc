const shapes = {
  phone: "M12 3h8q3 0 3 3v20q0 3-3 3h-8q-3 0-3-3V6q0-3 3-3zM14 25h4",
  laptop: "M7 6h18q2 0 2 2v11q0 2-2 2H7q-2 0-2-2V8q0-2 2-2zM2 25h28",
};

/** A phone or a laptop, as one draws it. */
export const DeviceIcon = ({ kind }: { kind: keyof typeof shapes }) => (
  <svg class="device" viewBox={kind === "phone" ? "8 0 16 32" : "1 0 30 32"} aria-hidden="true">
    <path d={shapes[kind]} />
  </svg>
);
