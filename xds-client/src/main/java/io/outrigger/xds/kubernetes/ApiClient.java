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
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one API server. All requests share a connection, where the server speaks
 * HTTP/2. Credentials are read for each request, off the control loop of the process: {@code loop}
 * is the loop of this package.
 */
@ControlConfined
final class ApiClient {
  static final int OK = 200;

  /** The limit of a list: about 100,000 endpoints. */
  private static final int MAX_BODY = 64 << 20;

  /** The limit of an event; the API server keeps objects of at most 1.5 MiB. */
  private static final int MAX_LINE = 4 << 20;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /**
   * The limit of a response, and of the head of a watch. It is shorter than the 15 s after which
   * xDS resources do not exist.
   */
  static final Duration TIME_LIMIT = Duration.ofSeconds(10);

  /** The characters of RFC 6750 section 2.1. */
  private static final Pattern TOKEN = Pattern.compile("[\\w.~+/-]+=*");

  private final ControlLoop loop;
  private final ApiAccess access;
  private Optional<Connected> connected = Optional.empty();

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Answer(int status, byte[] body) {}

  private record Connected(TlsFiles files, HttpClient client) {}

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

  /**
   * Requests {@code path}.
   *
   * @param onEnd called once on the loop, after this method has returned, with the response, or
   *     with the reason why there is none
   */
  Call get(String path, Consumer<Outcome<Answer>> onEnd) {
    var call = new Call();
    call.limit =
        loop.schedule(
            TIME_LIMIT,
            () -> {
              reconnect();
              call.cancel();
              onEnd.accept(failed("it does not answer"));
            });
    send(path, head -> ResponseBody.whole(MAX_BODY), onEnd, call);
    return call;
  }

  /**
   * Requests {@code path} and reads the events of the response, one a line. The caller limits the
   * time.
   *
   * @param onOpen called when the server has accepted the request
   * @param onEnd called once, when the response has ended; the body is that of a refusal
   */
  Call watch(
      String path, Runnable onOpen, Consumer<byte[]> onLine, Consumer<Outcome<Answer>> onEnd) {
    var call = new Call();
    send(
        path,
        head -> {
          if (head.statusCode() != OK) {
            return ResponseBody.whole(MAX_BODY);
          }
          loop.execute(() -> call.deliver(onOpen));
          return ResponseBody.lines(
              MAX_LINE, loop, line -> call.deliver(() -> onLine.accept(line)));
        },
        onEnd,
        call);
    return call;
  }

  private void send(
      String path,
      HttpResponse.BodyHandler<byte[]> body,
      Consumer<Outcome<Answer>> onEnd,
      Call call) {
    loop.checkInside();
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(access.server() + path))
              .header("accept", "application/json");
      if (access.token().isPresent()) {
        request.header("authorization", "Bearer " + token(access.token().get().read()));
      }
      CompletableFuture<HttpResponse<byte[]>> sent = client().sendAsync(request.build(), body);
      call.sent = sent;
      sent.whenComplete(
          (response, failure) ->
              loop.execute(
                  () -> {
                    if (isOfTls(failure)) {
                      reconnect();
                    }
                    call.end(
                        onEnd,
                        failure == null
                            ? Outcome.ok(new Answer(response.statusCode(), response.body()))
                            : failed(failure));
                  }));
    } catch (UncheckedIOException noResources) { // too many open files, when a client is made
      loop.execute(() -> call.end(onEnd, failed(noResources)));
    } catch (UnusableFile unusable) {
      loop.execute(() -> call.end(onEnd, failed(unusable.reason())));
    }
  }

  /**
   * Lets the next request open a connection, because the present one may be dead without a sign, or
   * the system's roots may have changed, which a client reads once. A client drops connections that
   * fail by itself. Each client keeps a thread and files until a garbage collection, so other
   * failures do not make a new one.
   */
  void reconnect() {
    connected = Optional.empty();
  }

  private static boolean isOfTls(@Nullable Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .anyMatch(SSLException.class::isInstance);
  }

  private static <T> Outcome<T> failed(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ResponseBody.TooLong tooLong) {
        return Outcome.failed(
            new RpcStatus(RpcStatus.Code.RESOURCE_EXHAUSTED, String.valueOf(tooLong.getMessage())));
      }
    }
    return failed(reason(failure));
  }

  private static <T> Outcome<T> failed(String reason) {
    return Outcome.failed(RpcStatus.unavailable(reason));
  }

  private static String token(CredentialFile file) throws UnusableFile {
    String token = file.text().strip();
    if (!TOKEN.matcher(token).matches()) {
      throw file.unusable("is no token");
    }
    return token;
  }

  private HttpClient client() throws UnusableFile {
    TlsFiles files =
        new TlsFiles(
            read(access.roots()),
            read(access.client().map(ApiAccess.ClientCertificate::chain)),
            read(access.client().map(ApiAccess.ClientCertificate::key)));
    Optional<HttpClient> known =
        connected.filter(before -> before.files().equals(files)).map(Connected::client);
    if (known.isPresent()) {
      return known.get();
    }
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .executor(loop)
            .connectTimeout(CONNECT_TIMEOUT)
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
      builder.version(HttpClient.Version.HTTP_1_1); // no request to upgrade
    }
    HttpClient made = builder.build();
    connected = Optional.of(new Connected(files, made));
    return made;
  }

  private static Optional<CredentialFile> read(Optional<ApiAccess.Source> source)
      throws UnusableFile {
    return source.isPresent() ? Optional.of(source.get().read()) : Optional.empty();
  }

  private static String reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof HttpTimeoutException) {
        return "it does not answer";
      }
      if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
        return "its name cannot be resolved";
      }
      if (cause instanceof SSLException) {
        return "TLS: " + PlainText.of(SocketErrors.describe(failure));
      }
      if (cause instanceof ConnectException) {
        return "connection refused";
      }
    }
    return PlainText.of(SocketErrors.describe(failure));
  }

  static final class Call {
    private CompletableFuture<?> sent = CompletableFuture.completedFuture(null);
    private TimerHandle limit = () -> {};
    private boolean cancelled;

    private void deliver(Runnable event) {
      if (!cancelled) {
        event.run();
      }
    }

    private void end(Consumer<Outcome<Answer>> onEnd, Outcome<Answer> answer) {
      limit.cancel();
      deliver(() -> onEnd.accept(answer));
    }

    /** Ends the request, so that its callbacks are not called. */
    void cancel() {
      limit.cancel();
      cancelled = true;
      sent.cancel(true);
    }
  }
}
