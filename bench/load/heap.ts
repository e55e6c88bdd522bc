/** What has Node tell what it holds; it says by itself where it listens for that. */
export const inspected: readonly string[] = ["--inspect=127.0.0.1:0"];

/**
 * Has a process collect its garbage, and answers the bytes of its heap that are left.
 *
 * @param output What the process, started as {@link inspected}, has printed.
 */
export async function collectHeap(output: string): Promise<number> {
  const [, url] = /^Debugger listening on (ws:\S+)$/m.exec(output) ?? [];
  if (url === undefined) throw new Error("The process cannot be inspected.");
  const socket = new WebSocket(url);
  await settled(socket, "open");
  let id = 0;
  const ask = async (method: string): Promise<{ usedSize?: number }> => {
    socket.send(JSON.stringify({ id: ++id, method }));
    const { data } = await settled(socket, "message");
    return JSON.parse(String(data)).result;
  };
  // Twice: what is finalised by the first is garbage of the second.
  await ask("HeapProfiler.collectGarbage");
  await ask("HeapProfiler.collectGarbage");
  const { usedSize = Number.NaN } = await ask("Runtime.getHeapUsage");
  socket.close();
  return usedSize;
}

function settled(socket: WebSocket, type: "open" | "message"): Promise<{ data?: unknown }> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(type, (event) => resolve(event as { data?: unknown }), { once: true });
    socket.addEventListener(
      "error",
      () => reject(new Error("The process does not let itself be inspected.")),
      {
        once: true,
      },
    );
  });
}
