interface Machine {
  readonly platform: string;
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exists: (file: string) => boolean;
}

export function npmCommand(args: readonly string[], machine?: Machine): string[];
export function npmCommandWithNode(version: string, args: readonly string[], machine?: Machine): string[];
export function programOf(command: string, machine?: Pick<Machine, "platform" | "exists">): string;
export function isInstalled(folder?: string, machine?: { platform: string; arch: string }): boolean;
