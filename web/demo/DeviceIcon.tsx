/** A phone or a laptop, as one draws it. */
export function DeviceIcon({ kind }: { kind: "phone" | "laptop" }) {
  return (
    <svg class="device" viewBox={kind === "phone" ? "8 0 16 32" : "1 0 30 32"} aria-hidden="true">
      {kind === "phone" ? (
        <>
          <rect x="9" y="3" width="14" height="26" rx="3" />
          <path d="M14 25h4" />
        </>
      ) : (
        <>
          <rect x="5" y="6" width="22" height="15" rx="2" />
          <path d="M2 25h28" />
        </>
      )}
    </svg>
  );
}
