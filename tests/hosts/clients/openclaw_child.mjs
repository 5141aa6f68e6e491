// Lets OpenClaw derive what it keeps next to the lines of a session: FOLDER DATABASE SESSION. The gateway does so at its start.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const [folder, path, session] = process.argv.slice(2);
const dist = join(folder, "node_modules/openclaw/dist");
const file = readdirSync(dist).find((name) => name.startsWith("session-transcript-index-") && name.endsWith(".mjs"));
const exported = Object.values(await import(join(dist, file)));
const derive = exported.find((one) => one.name === "reconcileSessionTranscriptIndexInTransaction");
const database = new DatabaseSync(path);
database.exec("begin");
derive(database, session);
database.exec("commit");
