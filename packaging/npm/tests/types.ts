// What the types of the package accept: `tsc --noEmit --strict`. It is not run.
import {
  check,
  explain,
  precheck,
  repair,
  repairFile,
  NotFoundError,
  UsageError,
  version,
  type Report,
} from "transcript-doctor";

export async function main(): Promise<void> {
  const report: Report = await check("a.jsonl", { target: "bedrock", select: ["TD101"] });
  const count: number = report.summary.stuck + report.summary.not_checked;
  const { messages } = await repair([{ role: "user", content: "x" }], { unsafe: true });
  const role: string = messages[0].role;
  const record = await precheck({ model: "gpt-5", messages });
  if (record.verdict === "stuck") {
    console.log(record.findings[0].code, count, role, version);
  }
  await explain(null, { error: "x" });
  await repairFile(new URL("file:///a"), { dryRun: true, prefer: 2 }).catch((error) => {
    return error instanceof NotFoundError && error.report;
  });
  // @ts-expect-error an option that is not known
  await check("a", { targets: "bedrock" });
  // @ts-expect-error not a verdict
  if (record.verdict === "broken") {
    throw new UsageError("x");
  }
}
