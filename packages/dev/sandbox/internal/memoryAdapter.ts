import type { Adapter, AdapterPayload } from "oidc-provider";

/** Where oidc-provider keeps its state: in memory, for as long as the sandbox runs. */
export function createMemoryAdapter(): (model: string) => Adapter {
  const entries = new Map<string, AdapterPayload>();
  const findBy = (model: string, member: string, value: unknown) =>
    [...entries].find(([key, entry]) => key.startsWith(`${model}:`) && entry[member] === value)?.[1];
  return (model) => ({
    upsert: async (id, payload) => {
      entries.set(`${model}:${id}`, payload);
    },
    find: async (id) => entries.get(`${model}:${id}`),
    findByUid: async (uid) => findBy(model, "uid", uid),
    findByUserCode: async (userCode) => findBy(model, "userCode", userCode),
    consume: async (id) => {
      const entry = entries.get(`${model}:${id}`);
      if (entry) entry.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => {
      entries.delete(`${model}:${id}`);
    },
    revokeByGrantId: async (grantId) => {
      for (const [key, entry] of entries) if (entry.grantId === grantId) entries.delete(key);
    },
  });
}
