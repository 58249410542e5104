package io.outrigger.xds.kubernetes;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.PlainText;
import io.outrigger.base.SocketErrors;
import io.outrigger.base.TimerHandle;
import io.outrigger.identity.certificate.CredentialFile;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.SecretJson;
import io.outrigger.identity.certificate.SystemRoots;
import io.outrigger.identity.certificate.UnusableFile;
import io.outrigger.identity.tls.HttpsContext;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Sends requests to one API server; the calling threads wait for the responses. All requests share
 * a connection, where the server speaks HTTP/2. Credentials are read for each request.
 *
 * <p>The HTTP client drops connections that fail; it keeps a thread and files until a garbage
 * collection. Only changed files, silence and failures of TLS lead to a new client.
 */
@AnyThread
final class ApiClient implements AutoCloseable {
  static final int OK = 200;

  /** The limit of a list: about 100,000 endpoints. */
  private static final int MAX_BODY = 64 << 20;

  /** The limit of an event; the API server keeps objects of at most 1.5 MiB. */
  private static final int MAX_LINE = 4 << 20;

  private static final int MAX_MESSAGE = 300;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /**
   * The limit of a head, and of a list. Together they are shorter than the 15 s after which xDS
   * resources do not exist.
   */
  static final Duration TIME_LIMIT = Duration.ofSeconds(7);

  private static final String SILENT = "it does not answer";

  /** The characters of RFC 6750 section 2.1. */
  private static final Pattern TOKEN = Pattern.compile("[\\w.~+/-]+=*");

  private final ControlLoop loop;
  private final ApiAccess access;
  private final Set<CompletableFuture<HttpResponse<InputStream>>> open =
      ConcurrentHashMap.newKeySet();
  private Optional<Connected> connected = Optional.empty(); // confined to the loop

  private record Connected(List<Optional<CredentialFile>> files, HttpClient client) {
    Connected {
      files = List.copyOf(files);
    }
  }

  /** The reason why there is no usable response. */
  static final class Failure extends IOException {
    private static final long serialVersionUID = 1;

    /** The HTTP status; 0 if there is no response, or only a part of it. */
    final int status;

    Failure(int status, String reason) {
      super(reason);
      this.status = status;
    }

    String reason() {
      return String.valueOf(getMessage());
    }
  }

  interface Reader {
    void read(InputStream body) throws IOException, InterruptedException;
  }

  /**
   * @param loop runs the HTTP client and the limits of time
   */
  ApiClient(ControlLoop loop, ApiAccess access) {
    this.loop = loop;
    this.access = access;
  }

  String server() {
    return access.server().toString();
  }

  /**
   * Requests {@code path}, and lets {@code reader} read the body. Blocks until that is done.
   *
   * @param limit the longest time for which the response may go on
   * @throws Failure when there is no response, when its status is not 200, and when {@code reader}
   *     fails
   */
  @SuppressWarnings("CollectionUndefinedEquality") // a request is only equal to itself
  void get(String path, Duration limit, Reader reader) throws Failure, InterruptedException {
    CompletableFuture<HttpResponse<InputStream>> sent = send(path);
    var isSilent = new AtomicBoolean();
    Runnable onSilence =
        () -> {
          isSilent.set(true);
          disconnect(); // the connection may be dead without a sign
          abort(sent);
        };
    TimerHandle timer = loop.schedule(TIME_LIMIT, onSilence);
    open.add(sent);
    try {
      HttpResponse<InputStream> head = sent.get();
      int status = head.statusCode();
      var body = new BufferedInputStream(head.body());
      timer.cancel();
      timer = loop.schedule(status == OK ? limit : TIME_LIMIT, onSilence);
      if (status != OK) {
        throw new Failure(status, status + said(all(body)));
      }
      reader.read(body);
    } catch (Failure failure) {
      throw failure;
    } catch (IOException | ExecutionException | CancellationException failure) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      throw new Failure(0, isSilent.get() ? SILENT : reason(failure));
    } finally {
      timer.cancel();
      open.remove(sent);
      abort(sent);
    }
  }

  private CompletableFuture<HttpResponse<InputStream>> send(String path)
      throws Failure, InterruptedException {
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(access.server() + path))
              .header("accept", "application/json");
      if (access.token().isPresent()) {
        request.header("authorization", "Bearer " + token(access.token().get().read()));
      }
      HttpClient client = CompletableFuture.supplyAsync(this::client, loop).get();
      return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    } catch (UnusableFile | ExecutionException failure) {
      throw new Failure(0, reason(failure));
    }
  }

  /** Ends a request. A thread that waits for the response, or reads it, gets an exception. */
  private static void abort(CompletableFuture<HttpResponse<InputStream>> sent) {
    sent.cancel(true);
    sent.thenAccept(
        head -> {
          try {
            head.body().close();
          } catch (IOException ended) {
            // its reader gets the exception
          }
        });
  }

  private static String token(CredentialFile file) throws UnusableFile {
    String token = file.text().strip();
    if (!TOKEN.matcher(token).matches()) {
      throw file.unusable("is no token");
    }
    return token;
  }

  /** Returns the client for the present content of the files, on the loop. */
  private HttpClient client() {
    try {
      return client(read(access.roots()), read(access.chain()), read(access.key()));
    } catch (UnusableFile unusable) {
      throw new CompletionException(unusable);
    }
  }

  private HttpClient client(
      Optional<CredentialFile> authorities,
      Optional<CredentialFile> chain,
      Optional<CredentialFile> key)
      throws UnusableFile {
    var files = List.of(authorities, chain, key);
    Optional<Connected> known = connected.filter(each -> each.files().equals(files));
    if (known.isPresent()) {
      return known.get().client();
    }
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .executor(loop)
            .connectTimeout(CONNECT_TIMEOUT)
            .proxy(HttpClient.Builder.NO_PROXY)
            .followRedirects(HttpClient.Redirect.NEVER); // the token is for this server only
    if (access.server().getScheme().equals("https")) {
      Roots roots =
          authorities.isPresent()
              ? Roots.Authorities.of(authorities.get())
              : SystemRoots.of(System.getenv()).authorities();
      Optional<Identity> identity =
          chain.isPresent() && key.isPresent()
              ? Optional.of(Identity.of(chain.get(), key.get()))
              : Optional.empty();
      builder.sslContext(HttpsContext.of(roots, identity));
    } else {
      builder.version(HttpClient.Version.HTTP_1_1); // no request to upgrade
    }
    HttpClient made = builder.build();
    connected = Optional.of(new Connected(files, made));
    return made;
  }

  /** Lets the next request open a connection. */
  private void disconnect() {
    connected = Optional.empty();
  }

  private static Optional<CredentialFile> read(Optional<ApiAccess.Source> source)
      throws UnusableFile {
    return source.isPresent() ? Optional.of(source.get().read()) : Optional.empty();
  }

  /** Reads a body. */
  static byte[] all(InputStream body) throws IOException {
    byte[] all = body.readNBytes(MAX_BODY + 1);
    if (all.length > MAX_BODY) {
      throw new Failure(OK, "its answer is longer than 64 MiB");
    }
    return all;
  }

  /** Reads the next line of a body; empty at the end, where a line that was cut is left out. */
  static Optional<byte[]> line(InputStream body) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int next = body.read(); next != '\n'; next = body.read()) {
      if (next < 0) {
        return Optional.empty();
      }
      if (line.size() == MAX_LINE) {
        throw new Failure(OK, "its answer is longer than 4 MiB");
      }
      line.write(next);
    }
    return Optional.of(line.toByteArray());
  }

  /** Returns the message of a Status object, after a colon; empty for any other text. */
  private static String said(byte[] json) {
    String said =
        SecretJson.object(json)
            .map(status -> ApiJson.text(status, "message"))
            .filter(message -> !message.isEmpty())
            .map(message -> ": " + PlainText.of(message))
            .orElse("");
    return said.length() > MAX_MESSAGE ? said.substring(0, MAX_MESSAGE) + "…" : said;
  }

  private String reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnusableFile unusable) {
        return unusable.reason();
      }
      if (cause instanceof HttpTimeoutException) {
        return SILENT;
      }
      if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
        return "its name cannot be resolved";
      }
      if (cause instanceof SSLException) {
        loop.execute(this::disconnect); // the system's roots may change, which a client reads once
        return "TLS: " + PlainText.of(SocketErrors.describe(failure));
      }
      if (cause instanceof ConnectException) {
        return "connection refused";
      }
    }
    return PlainText.of(SocketErrors.describe(failure));
  }

  /** Ends all requests; their threads must be interrupted before. */
  @Override
  public void close() {
    open.forEach(ApiClient::abort);
  }
}
