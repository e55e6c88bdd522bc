/** The sentence that a sign-in message for a verification carries, exactly. */
export const statement = "Claim eligibility for a Verify onchain benefit.";
