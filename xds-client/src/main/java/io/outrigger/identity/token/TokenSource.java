package io.outrigger.identity.token;

import io.outrigger.base.AnyThread;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** A source of bearer tokens. */
@AnyThread
public interface TokenSource extends AutoCloseable {
  /**
   * Requests a token; never blocks. There is no timeout: a caller that has waited long enough
   * cancels the result, which ends the request.
   *
   * @param now the current time, which a signed token request contains
   * @return a future that is completed on any thread, with a token or a {@link NoToken}
   */
  CompletableFuture<AccessToken> fetch(Instant now);

  @Override
  void close();
}
