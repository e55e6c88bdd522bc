import type { Machine } from "../environment/machine.ts";

/** A column of numbers. */
export interface Column {
  readonly key: string;
  readonly heading: string;
  /** Digits behind the point. */
  readonly digits: number;
}

export interface Row {
  readonly name: string;
  /** Where nothing was measured, there is nothing. */
  readonly values: Readonly<Record<string, number>>;
}

/** Something that was promised. */
export interface Target {
  readonly promise: string;
  /** What was measured, in words. */
  readonly got: string;
  readonly met: boolean;
}

/** What one scenario has measured. */
export interface ScenarioReport {
  readonly title: string;
  /** The day, as ISO 8601 has it. */
  readonly measured: string;
  readonly machine: Machine;
  /** Sentences: how it was measured. */
  readonly notes: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly targets: readonly Target[];
}

/** By scenario; bench/report.json is one. */
export type Report = Readonly<Record<string, ScenarioReport>>;

/** What a scenario adds to its title and its machine. */
export type Measured = Pick<ScenarioReport, "notes" | "columns" | "rows" | "targets">;

export const formatNumber = (value: number | undefined, digits: number): string =>
  value === undefined
    ? ""
    : value
        .toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
        .replaceAll(",", " ");

/** Judges a number against what was promised. */
export function target(
  promise: string,
  value: number,
  limit: { atLeast: number } | { atMost: number } | { under: number },
  format: (value: number) => string,
): Target {
  const { atLeast = -Infinity, atMost = Infinity, under = Infinity }: Record<string, number> = limit;
  const met = value >= atLeast && value <= atMost && value < under;
  return { promise, got: format(value), met };
}

/** The value below which a part of the values lies: 0.5 for the median, 1 for the largest. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** A number in words, such as "2.04 times". */
export const words =
  (unit: string, digits: number) =>
  (value: number): string =>
    `${formatNumber(value, digits)} ${unit}`;
