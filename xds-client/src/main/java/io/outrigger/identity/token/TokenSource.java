package io.outrigger.identity.token;

import io.outrigger.base.AnyThread;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Gives tokens. */
@AnyThread
public interface TokenSource extends AutoCloseable {
  /**
   * Asks for a token; never blocks. There is no limit of time: whoever has waited long enough
   * cancels the result, which ends the request.
   *
   * @param now for the claims of a request
   * @return completed on any thread, by a token or a {@link NoToken}
   */
  CompletableFuture<AccessToken> fetch(Instant now);

  /** Nothing is asked for any more. */
  @Override
  void close();
}
