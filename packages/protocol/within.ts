/**
 * Waits for an answer, at most for some milliseconds.
 *
 * @param late Makes the error to reject with when there is no answer by then.
 */
export function within<T>(milliseconds: number, answer: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
