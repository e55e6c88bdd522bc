/** What there is to try. */
export function Tries() {
  return (
    <section aria-labelledby="tries">
      <h2 id="tries">What to try</h2>
      <ol class="tries">
        <li>
          <b>Once.</b> Claim, prove an account as Alice when you are asked, come back and claim again: you are
          in.
        </li>
        <li>
          <b>The same person, another wallet.</b> Choose another account above and prove Alice's account for
          it, too. The service signs, and the contract refuses.
        </li>
        <li>
          <b>Below the bar.</b> With a third account, be Bob. The service does not sign.
        </li>
        <li>
          <b>Too old.</b> Vote in the ballot, open a new one, and vote again: the account has to be proven
          anew.
        </li>
        <li>
          <b>Before it is mined.</b> Hold the block back, and see the identity used already.
        </li>
        <li>
          <b>All or nothing.</b> Deposit into the vault: three calls in one batch.
        </li>
      </ol>
    </section>
  );
}
