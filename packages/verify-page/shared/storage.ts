interface Memory {
  read(name: string): string | undefined;
  /** Keeps a value, or forgets it when there is none. */
  write(name: string, value: string | undefined): void;
  clear(): void;
}

/** A browser may keep nothing for pages, or have no room: then what is written is for nobody. */
const memoryIn = (open: () => Storage): Memory => ({
  read(name) {
    try {
      return open().getItem(name) ?? undefined;
    } catch {
      return undefined;
    }
  },
  write(name, value) {
    try {
      if (value === undefined) open().removeItem(name);
      else open().setItem(name, value);
    } catch {
      // As above.
    }
  },
  clear() {
    try {
      open().clear();
    } catch {
      // As above.
    }
  },
});

/** This tab's own storage. */
export const tabMemory = memoryIn(() => sessionStorage);
/** The storage that all tabs of this browser share. */
export const browserMemory = memoryIn(() => localStorage);
