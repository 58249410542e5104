package io.outrigger.identity.google;

import io.outrigger.base.AnyThread;
import io.outrigger.base.BackgroundThread;
import io.outrigger.identity.tls.ResponseBody;
import io.outrigger.identity.token.AccessToken;
import io.outrigger.identity.token.NoToken;
import io.outrigger.identity.token.TokenSource;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLContext;

/**
 * Fetches tokens with the application default credentials. The key file is read again for each
 * token: a replaced file takes effect, and the key is not kept in memory.
 */
@AnyThread
public final class DefaultTokens implements TokenSource {
  /** The maximum size of an answer; tokens have about 2 KiB. */
  private static final int MAX_BYTES = 64 << 10;

  private final Map<String, String> environment;
  private final BackgroundThread thread = new BackgroundThread("google-token");
  private final HttpClient client;

  public DefaultTokens(Map<String, String> environment, SSLContext secure) {
    this.environment = Map.copyOf(environment);
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .executor(thread)
            .sslContext(secure)
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER);
    client =
        AccountReader.file(environment).isPresent()
            ? builder.build()
            : builder.proxy(HttpClient.Builder.NO_PROXY).build(); // the metadata server is local
  }

  /**
   * Reads the credentials. Blocks.
   *
   * @throws IllegalArgumentException if the credentials cannot be used; the message names the cause
   */
  public static void requireUsable(Map<String, String> environment) {
    try {
      var unused = AccountReader.read(environment);
    } catch (NoToken unusable) {
      throw new IllegalArgumentException(unusable.reason(), unusable);
    }
  }

  @Override
  public CompletableFuture<AccessToken> fetch(Instant now) {
    var result = new CompletableFuture<AccessToken>();
    thread.execute(
        () -> {
          try {
            Account account = AccountReader.read(environment);
            send(account, account.request(now), result);
          } catch (NoToken failure) {
            result.completeExceptionally(failure);
          } catch (RuntimeException bug) { // the exception's text might quote a secret
            result.completeExceptionally(new NoToken("no request for a token: " + bug.getClass()));
          }
        });
    return result;
  }

  private void send(Account account, HttpRequest request, CompletableFuture<AccessToken> result) {
    if (result.isDone()) {
      return; // the caller has canceled the fetch
    }
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(request, head -> ResponseBody.whole(MAX_BYTES));
    result.whenComplete((token, failure) -> sent.cancel(true)); // no effect if completed
    sent.whenComplete(
        (answer, failure) -> {
          if (failure == null) {
            complete(result, account, request, answer);
          } else {
            result.completeExceptionally(failureAt(request, describe(cause(failure))));
          }
        });
  }

  private static void complete(
      CompletableFuture<AccessToken> result,
      Account account,
      HttpRequest request,
      HttpResponse<byte[]> answer) {
    try {
      result.complete(TokenAnswer.read(account, answer));
    } catch (NoToken failure) {
      result.completeExceptionally(failureAt(request, failure.reason()));
    } catch (RuntimeException bug) {
      result.completeExceptionally(
          failureAt(request, "answered what cannot be read: " + bug.getClass()));
    }
  }

  private static NoToken failureAt(HttpRequest request, String reason) {
    return new NoToken(request.uri().getRawAuthority() + " " + reason);
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private static String describe(Throwable failure) {
    if (failure instanceof ConnectException) {
      return "cannot be reached";
    }
    return failure instanceof IOException && failure.getMessage() != null
        ? "failed: " + TokenAnswer.quotable(failure.getMessage())
        : "failed: " + failure.getClass().getSimpleName();
  }

  @Override
  public void close() {
    thread.close();
  }
}
