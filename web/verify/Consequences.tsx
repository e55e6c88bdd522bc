/** What becomes of a proven account: said before the click that proves it, and before the one that stores it. */
export function Consequences() {
  return (
    <section class="card" aria-labelledby="consequences">
      <h2 id="consequences">What others learn</h2>
      <p>
        <b>Apps</b> learn a code that stands for you at that one app, and one thing by each message that you
        sign for them: whether you have an account, proved it lately enough, and meet their condition. They do
        not learn your account's name or numbers, unless the condition is one exact value: an app that asks
        for one user name learns that it is yours when you meet it.
      </p>
      <p>
        <b>Everybody, for ever:</b> when you claim something at an app, that code goes onto a public
        blockchain next to your wallet's address, and so does the app's condition, which you met. Nobody can
        delete it there, neither you nor we. It does not tell which account is yours, unless the condition
        does.
      </p>
    </section>
  );
}
