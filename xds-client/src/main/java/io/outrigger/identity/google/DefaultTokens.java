package io.outrigger.identity.google;

import io.outrigger.base.AnyThread;
import io.outrigger.base.BackgroundThread;
import io.outrigger.identity.token.AccessToken;
import io.outrigger.identity.token.NoToken;
import io.outrigger.identity.token.TokenSource;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of the application default credentials. The key file is read again for each token, so that
 * one which has been replaced counts, and no key is kept meanwhile.
 */
@AnyThread
public final class DefaultTokens implements TokenSource {
  private final Map<String, String> environment;
  private final BackgroundThread thread = new BackgroundThread("google-token");
  private final Supplier<SSLContext> secure;

  /** Made with the first fetch, by {@link #thread}; its own thread lives as long. */
  private volatile @Nullable HttpClient client;

  /**
   * Reads nothing yet.
   *
   * @param environment of which the names of Google's libraries count
   * @param secure for token servers
   */
  public DefaultTokens(Map<String, String> environment, Supplier<SSLContext> secure) {
    this.environment = Map.copyOf(environment);
    this.secure = secure;
  }

  private HttpClient client() {
    HttpClient known = client;
    if (known != null) {
      return known;
    }
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .executor(thread)
            .sslContext(secure.get())
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER);
    HttpClient made =
        AccountReader.file(environment).isPresent()
            ? builder.build()
            : builder.proxy(HttpClient.Builder.NO_PROXY).build(); // the link's own server
    client = made;
    return made;
  }

  /**
   * Reads the credentials once. Blocks.
   *
   * @throws IllegalArgumentException naming the variable or file and the place in it, if they
   *     cannot be used
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
    return begin(result -> request(AccountReader.read(environment), now, result));
  }

  /** In the name of {@code account}, whatever the environment says. */
  CompletableFuture<AccessToken> fetch(Account account, Instant now) {
    return begin(result -> request(account, now, result));
  }

  /** Part of a fetch, on a thread where it may block. */
  private interface Step {
    void run(CompletableFuture<AccessToken> result) throws NoToken;
  }

  private CompletableFuture<AccessToken> begin(Step step) {
    var result = new CompletableFuture<AccessToken>();
    thread.execute(
        () -> {
          try {
            step.run(result);
          } catch (NoToken failure) {
            result.completeExceptionally(failure);
          } catch (RuntimeException bug) { // its text might quote a secret
            result.completeExceptionally(new NoToken("no request for a token: " + bug.getClass()));
          }
        });
    return result;
  }

  private void request(Account account, Instant now, CompletableFuture<AccessToken> result)
      throws NoToken {
    send(account, account.requests(now), result);
  }

  private void send(
      Account account, List<HttpRequest> requests, CompletableFuture<AccessToken> result) {
    if (result.isDone()) {
      return; // cancelled meanwhile
    }
    HttpRequest request = requests.get(0);
    CompletableFuture<HttpResponse<byte[]>> sent =
        client().sendAsync(request, head -> new BoundedBody());
    result.whenComplete((token, failure) -> sent.cancel(true)); // the very request, or nothing
    sent.whenComplete(
        (answer, failure) -> {
          if (failure == null) {
            complete(result, account, request, answer);
          } else if (requests.size() > 1 && cause(failure) instanceof ConnectException) {
            send(account, requests.subList(1, requests.size()), result);
          } else {
            result.completeExceptionally(at(request, told(cause(failure))));
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
      result.completeExceptionally(at(request, failure.reason()));
    } catch (RuntimeException bug) {
      result.completeExceptionally(at(request, "answered what cannot be read: " + bug.getClass()));
    }
  }

  private static NoToken at(HttpRequest request, String reason) {
    return new NoToken(request.uri().getRawAuthority() + " " + reason);
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private static String told(Throwable failure) {
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
