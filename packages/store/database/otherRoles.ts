import { sql } from "kysely";
import { readDatabaseLocation } from "./databaseUrl.ts";
import { openDatabase } from "./openDatabase.ts";
import { tableNames } from "./schema.ts";

// cspell:ignore aclexplode regrole relacl relowner userbyid

/**
 * Lists the other roles that can change a PostgreSQL store, and `PUBLIC` where every role can change or read it. Hosts give
 * such rights to each new table: Supabase to `anon`, whose key is in every app. The owner, superusers and this process's
 * own role do not count. Of an SQLite file, the list is empty.
 */
export async function listOtherRoles(databaseUrl: string): Promise<readonly string[]> {
  const location = readDatabaseLocation(databaseUrl);
  if (location.engine === "sqlite") return [];
  const { db, close } = await openDatabase(location, "read");
  try {
    const { rows } = await sql<{ role: string }>`
      select distinct case grantee when 0 then 'PUBLIC' else pg_get_userbyid(grantee) end as role
      from pg_class, aclexplode(relacl)
      where relname in (${sql.join(tableNames)}) and relkind in ('r', 'p') and pg_table_is_visible(pg_class.oid)
        and has_schema_privilege(grantee, relnamespace, 'usage')
        and grantee <> relowner and grantee <> current_user::regrole
        and (grantee = 0 or privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'))
      order by role`.execute(db);
    return rows.map(({ role }) => role);
  } finally {
    await close();
  }
}
