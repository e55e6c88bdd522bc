import type { Machine } from "../environment/machine.ts";
import { quantile } from "../load/quantile.ts";

/** The name of this service in the reports. */
export const ownName = "hardhat-identity";

/** A column of numbers. */
export interface Column {
  readonly key: string;
  readonly heading: string;
  /** Digits after the decimal point. */
  readonly digits: number;
}

export interface Row {
  readonly name: string;
  /** The measured values by the key of their column. */
  readonly values: Readonly<Record<string, number>>;
}

/** A promise and its outcome. */
export interface Target {
  readonly promise: string;
  /** The measured value, in words. */
  readonly got: string;
  readonly met: boolean;
}

/** The report of one scenario. */
export interface ScenarioReport {
  readonly title: string;
  /** The day, in ISO 8601. */
  readonly measured: string;
  /** The commit of the measured code, with "+" if it was changed since. */
  readonly commit: string;
  readonly machine: Machine;
  /** Sentences on how it was measured. */
  readonly notes: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Whether the rows repeat one trial: people are shown the least, the median and the most. */
  readonly areTrials?: true;
  readonly targets: readonly Target[];
}

/** The part of a report that the scenario measures. */
export type Measured = Omit<ScenarioReport, "title" | "measured" | "commit" | "machine">;

export const formatNumber = (value: number | undefined, digits: number): string =>
  value === undefined
    ? ""
    : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A promised limit. */
export type Limit = { atLeast: number } | { atMost: number } | { under: number };

/** Compares a number with a promised limit. */
export function target(
  promise: string,
  value: number,
  limit: Limit,
  format: (value: number) => string,
): Target {
  const { atLeast = -Infinity, atMost = Infinity, under = Infinity }: Record<string, number> = limit;
  const met = value >= atLeast && value <= atMost && value < under;
  return { promise, got: format(value), met };
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Returns a function that puts a number in words, such as "2.04 times". */
export const words =
  (unit: string, digits: number) =>
  (value: number): string =>
    `${formatNumber(value, digits)} ${unit}`;
