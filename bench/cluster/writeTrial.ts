import type { ScenarioReport } from "../report/report.ts";
export async function writeTrial(_name: string, _report: ScenarioReport): Promise<void> {}
