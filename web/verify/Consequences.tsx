/** What becomes of a proven account: said before the click that proves it, and before the one that stores it. */
export function Consequences() {
  return (
    <section class="card" aria-labelledby="consequences">
      <h2 id="consequences">What others learn</h2>
      <p>
        <b>Apps</b> learn a code that stands for you at that one app, and that you meet its condition. They
        never learn which account is yours, its name, or its numbers.
      </p>
      <p>
        <b>Everybody, for ever:</b> when you claim something at an app, that code goes onto a public
        blockchain next to your wallet's address. Nobody can delete it there, neither you nor we. It does not
        tell which account is yours.
      </p>
    </section>
  );
}
