import { describeStoreFailure } from "@hardhat-identity/store/database/operateStore";

/** Turns a failure of the store into an error that is printed without a stack trace. */
export async function withReadableErrors<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw describeStoreFailure(error);
  }
}
