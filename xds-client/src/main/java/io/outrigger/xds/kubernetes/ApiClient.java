package io.outrigger.xds.kubernetes;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.PlainText;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.SocketErrors;
import io.outrigger.base.TimerHandle;
import io.outrigger.identity.certificate.CredentialFile;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.SystemRoots;
import io.outrigger.identity.certificate.UnusableFile;
import io.outrigger.identity.tls.HttpsContext;
import io.outrigger.identity.tls.ResponseBody;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Sends requests to one API server. All requests share a connection if the server supports HTTP/2.
 * The credentials are read for each request, on the thread {@code kubernetes}.
 */
@ControlConfined
final class ApiClient {
  static final int OK = 200;

  private static final int MAX_BODY = maxBody(Runtime.getRuntime().maxMemory());

  /**
   * The timeout of a response, or of the response header of a watch. The timeout is shorter than
   * the 15 s after which an xDS resource counts as missing.
   */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final String NO_ANSWER = "it does not answer";

  /** The form of a bearer token (RFC 6750 section 2.1). */
  private static final Pattern TOKEN = Pattern.compile("[\\w.~+/-]+=*");

  private final ControlLoop loop;
  private final ApiAccess access;
  private Optional<Client> current = Optional.empty();

  @SuppressWarnings("ArrayRecordComponent") // instances are never compared
  record Answer(int status, byte[] body) {}

  private record Client(TlsFiles files, HttpClient http) {}

  private record TlsFiles(
      Optional<CredentialFile> roots,
      Optional<CredentialFile> chain,
      Optional<CredentialFile> key) {}

  ApiClient(ControlLoop loop, ApiAccess access) {
    this.loop = loop;
    this.access = access;
  }

  String server() {
    return access.server().toString();
  }

  /** Reading an answer takes several times its size. 4 MiB are about 10,000 endpoints. */
  static int maxBody(long heapBytes) {
    return (int) Math.min(256 << 20, heapBytes / 8);
  }

  /**
   * Requests {@code path}.
   *
   * @param onEnd called once on the thread {@code kubernetes}, after this method has returned
   */
  Call get(String path, Consumer<Outcome<Answer>> onEnd) {
    return send(new Call(onEnd), path, head -> ResponseBody.whole(MAX_BODY));
  }

  /**
   * Requests a path and reads the response line by line.
   *
   * @param timeout the maximum duration of the response
   * @param onOpen called when the server has accepted the request
   * @param onEnd called once at the end of the response; the body is empty unless the server has
   *     refused the request
   */
  Call watch(
      String path,
      Duration timeout,
      Runnable onOpen,
      Consumer<byte[]> onLine,
      Consumer<Outcome<Answer>> onEnd) {
    var call = new Call(onEnd);
    return send(
        call,
        path,
        head -> {
          if (head.statusCode() != OK) {
            return ResponseBody.whole(MAX_BODY);
          }
          loop.execute(
              () ->
                  call.deliver(
                      () -> {
                        call.setTimeout(timeout);
                        onOpen.run();
                      }));
          return ResponseBody.lines( // an EndpointSlice has at most 1000 endpoints
              MAX_BODY / 4, loop, line -> call.deliver(() -> onLine.accept(line)));
        });
  }

  private Call send(Call call, String path, HttpResponse.BodyHandler<byte[]> body) {
    loop.checkInside();
    call.setTimeout(TIMEOUT);
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(access.server() + path))
              .header("accept", "application/json");
      if (access.token().isPresent()) {
        request.header("authorization", "Bearer " + token(access.token().get().read()));
      }
      call.sent = client().sendAsync(request.build(), body);
      call.sent.whenComplete(
          (response, failure) ->
              loop.execute(
                  () ->
                      call.end(
                          failure == null
                              ? Outcome.ok(new Answer(response.statusCode(), response.body()))
                              : Outcome.failed(status(failure)))));
    } catch (UnusableFile | UncheckedIOException failure) { // Unchecked: too many open files
      loop.execute(() -> call.end(Outcome.failed(status(failure))));
    }
    return call;
  }

  private static String token(CredentialFile file) throws UnusableFile {
    String token = file.text().strip();
    if (!TOKEN.matcher(token).matches()) {
      throw file.unusable("is no token");
    }
    return token;
  }

  private HttpClient client() throws UnusableFile {
    var files = new TlsFiles(read(access.roots()), read(access.chain()), read(access.key()));
    if (current.isPresent() && current.get().files().equals(files)) {
      return current.get().http();
    }
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .executor(loop)
            .connectTimeout(Duration.ofSeconds(5))
            .proxy(HttpClient.Builder.NO_PROXY)
            .followRedirects(HttpClient.Redirect.NEVER); // the token is for this server only
    if (access.server().getScheme().equals("https")) {
      Roots roots =
          files.roots().isPresent()
              ? Roots.Authorities.of(files.roots().get())
              : SystemRoots.of(System.getenv()).authorities();
      Optional<Identity> identity =
          files.chain().isPresent() && files.key().isPresent()
              ? Optional.of(Identity.of(files.chain().get(), files.key().get()))
              : Optional.empty();
      builder.sslContext(HttpsContext.of(roots, identity));
    } else {
      builder.version(HttpClient.Version.HTTP_1_1); // omits the upgrade header
    }
    HttpClient http = builder.build();
    current = Optional.of(new Client(files, http));
    return http;
  }

  private static Optional<CredentialFile> read(Optional<ApiAccess.Source> source)
      throws UnusableFile {
    return source.isPresent() ? Optional.of(source.get().read()) : Optional.empty();
  }

  private RpcStatus status(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ResponseBody.TooLong) {
        return new RpcStatus(
            RpcStatus.Code.RESOURCE_EXHAUSTED,
            cause.getMessage() + "; raise the memory limit of the container, or -Xmx");
      }
      if (cause instanceof UnusableFile unusable) {
        return RpcStatus.unavailable(unusable.reason());
      }
      if (cause instanceof HttpTimeoutException) {
        return RpcStatus.unavailable(NO_ANSWER);
      }
      if (cause instanceof UnresolvedAddressException) {
        return RpcStatus.unavailable("its name cannot be resolved");
      }
      if (cause instanceof SSLException) {
        current = Optional.empty(); // the next client reads the system's roots again
        return RpcStatus.unavailable("TLS: " + PlainText.of(SocketErrors.describe(failure)));
      }
      if (cause instanceof ConnectException && cause.getCause() instanceof ClosedChannelException) {
        return RpcStatus.unavailable("connection refused");
      }
    }
    return RpcStatus.unavailable(PlainText.of(SocketErrors.describe(failure)));
  }

  /** A request. No callback is called after the end of the request. */
  final class Call {
    private final Consumer<Outcome<Answer>> onEnd;
    private CompletableFuture<HttpResponse<byte[]>> sent = new CompletableFuture<>();
    private TimerHandle timer = () -> {};
    private boolean ended;

    private Call(Consumer<Outcome<Answer>> onEnd) {
      this.onEnd = onEnd;
    }

    private void setTimeout(Duration timeout) {
      timer.cancel();
      timer = loop.schedule(timeout, this::onTimeout);
    }

    /**
     * Discards the HTTP client after a timeout, because its connection may be dead. After any other
     * failure, the client stays in use, because it opens a new connection itself. A discarded
     * client keeps its thread until it is garbage-collected.
     */
    private void onTimeout() {
      current = Optional.empty();
      end(Outcome.failed(RpcStatus.unavailable(NO_ANSWER)));
    }

    private void deliver(Runnable event) {
      if (!ended) {
        event.run();
      }
    }

    private void end(Outcome<Answer> answer) {
      if (!ended) {
        cancel();
        onEnd.accept(answer);
      }
    }

    void cancel() {
      ended = true;
      timer.cancel();
      sent.cancel(true);
    }
  }
}
