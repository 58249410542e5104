package io.outrigger.identity.certificate;

import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider.IstioCa;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Gets certificates from an istio CA; each request has a new key. A certificate is renewed when
 * half of its validity has passed. After a failure, the certificate stays in use and the request is
 * repeated after a back-off. An expired certificate is dropped, and the provider instance then has
 * no identity.
 *
 * <pre>
 * asking   -> holding  a pair arrived; the next request is due at half of its life
 * asking   -> failed   no usable pair; the next request is due after the back-off
 * holding  -> asking   the request is due
 * failed   -> asking   the request is due
 * </pre>
 */
@ControlConfined
final class IstioCaWatcher extends CertificateSource {
  /** How long calls wait for the CA's first answer; afterwards they fail with the reason. */
  static final Duration FIRST_ANSWER = Duration.ofSeconds(5);

  static final Duration MAX_BACKOFF = Duration.ofSeconds(30);

  private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

  /** Expiry is checked periodically, because one timer would miss changes of the wall clock. */
  private static final Duration CHECK_INTERVAL = Duration.ofMinutes(10);

  /** The jitter of renewals, so that pods that started together do not renew together. */
  private static final double JITTER = 0.02;

  private final ControlLoop loop;
  private final Executor reading;
  private final RandomSource random;
  private final IstioCaClient client;
  private final IstioCa ca;
  private final Backoff backoff;

  /** The prefix of error messages once the last certificate has expired; empty until then. */
  private Optional<String> expired = Optional.empty();

  private TimerHandle next = () -> {};
  private TimerHandle expiry = () -> {};
  private boolean closed;

  IstioCaWatcher(
      ControlLoop loop,
      Executor reading,
      RandomSource random,
      IstioCaClient client,
      IstioCa ca,
      Listener listener) {
    super(listener);
    this.loop = loop;
    this.reading = reading;
    this.random = random;
    this.client = client;
    this.ca = ca;
    this.backoff = new Backoff(random, MAX_BACKOFF);
  }

  @Override
  void start() {
    loop.checkInside();
    next =
        loop.schedule(FIRST_ANSWER, () -> fail("the CA " + ca.address() + " has not answered yet"));
    ask();
  }

  @Override
  Optional<String> lack() {
    return snapshot().loaded().isPresent() ? Optional.empty() : Optional.of(snapshot().lack());
  }

  private void ask() {
    Instant now = loop.now();
    Consumer<Outcome<FileReading>> end = read -> loop.execute(() -> onAnswer(read));
    execute(
        end,
        () -> {
          SigningRequest request = SigningRequest.fresh();
          client.sign(
              ca,
              request::pem,
              now,
              answer ->
                  execute(
                      end,
                      () ->
                          end.accept(
                              answer.match(
                                  chain -> Outcome.ok(read(chain, request, now)),
                                  Outcome::failed))));
        });
  }

  /** Runs a task on the reading thread. Renewals continue even after an unexpected exception. */
  private void execute(Consumer<Outcome<FileReading>> end, Runnable task) {
    reading.execute(
        () -> {
          try {
            task.run();
          } catch (RuntimeException | Error bug) { // its text might quote a secret
            end.accept(
                Outcome.failed(
                    RpcStatus.unavailable("a request to the CA failed: " + bug.getClass())));
          }
        });
  }

  private void onAnswer(Outcome<FileReading> answer) {
    if (closed) {
      return;
    }
    next.cancel();
    Duration delay;
    Optional<String> failure =
        answer.match(FileReading::failure, reason -> Optional.of(reason.message()));
    if (failure.isPresent()) {
      fail(failure.get());
      delay = backoff.next();
    } else {
      backoff.reset();
      expired = Optional.empty();
      publish(snapshot().after(answer.toOptional().orElseThrow(), loop.now()));
      delay = untilRenewal();
      dropWhenExpired();
    }
    next = loop.schedule(delay, this::ask);
  }

  private Duration untilRenewal() {
    Duration left =
        snapshot()
            .identity()
            .map(own -> Duration.between(loop.now(), own.expiry()))
            .orElse(Duration.ZERO);
    double half = random.jittered(left.toMillis() / 2.0, JITTER, Purpose.CERTIFICATE_RENEWAL);
    Duration delay = Duration.ofMillis((long) half);
    return delay.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : delay;
  }

  private void dropWhenExpired() {
    expiry.cancel();
    snapshot()
        .identity()
        .map(Identity::expiry)
        .ifPresent(
            end -> {
              Duration left = Duration.between(loop.now(), end);
              if (left.isNegative() || left.isZero()) {
                expired = Optional.of("the certificate has expired at " + end + "; ");
                fail(snapshot().error().orElse("it has not been renewed"));
              } else {
                Duration wait = left.compareTo(CHECK_INTERVAL) < 0 ? left : CHECK_INTERVAL;
                expiry = loop.schedule(wait, this::checkExpiry);
              }
            });
  }

  /**
   * Drops an expired certificate. If the renewal timer is late, requests a new certificate
   * immediately: timers do not advance while the machine sleeps.
   */
  private void checkExpiry() {
    boolean isRenewalAhead =
        snapshot().error().isEmpty()
            && snapshot()
                .loaded()
                .filter(at -> at.plus(MIN_INTERVAL).isBefore(loop.now()))
                .isPresent();
    dropWhenExpired();
    if (isRenewalAhead && expired.isPresent()) {
      next.cancel();
      ask();
    }
  }

  private void fail(String reason) {
    publish(
        new CertificateSnapshot(
            snapshot().identity().filter(own -> expired.isEmpty()),
            snapshot().roots(),
            snapshot().loaded(),
            Optional.of(expired.orElse("") + reason)));
  }

  private FileReading read(List<String> chain, SigningRequest request, Instant now) {
    return FileReading.whole(() -> identity(chain, request, now), () -> roots(chain));
  }

  private CredentialFile element(List<String> chain, int index) {
    String owner = "of the CA " + ca.address();
    return new CredentialFile("cert_chain[" + index + "]", owner, chain.get(index));
  }

  private Identity identity(List<String> answer, SigningRequest request, Instant now)
      throws UnusableFile {
    List<X509Certificate> roots = roots(answer).certificates();
    List<X509Certificate> chain = new ArrayList<>();
    for (int i = 0; i < answer.size() - 1; i++) {
      chain.addAll(CertificateReader.read(element(answer, i)));
    }
    CredentialFile leaf = element(answer, 0);
    Identity identity =
        Identity.of(chain, request.key())
            .orElseThrow(() -> leaf.unusable("is for another key than the requested one"));
    if (!now.isBefore(identity.expiry())) {
      throw leaf.unusable("has expired at " + identity.expiry());
    }
    List<CertificateRefusal> refusals = leaf.parsed("is malformed", () -> refusals(chain, roots));
    if (refusals.size() == PeerRole.values().length) {
      throw leaf.unusable("would be refused by every peer: " + refusals.get(0).text());
    }
    return identity;
  }

  /** Verifies the chain but ignores dates, because this machine's clock may be slow. */
  private static List<CertificateRefusal> refusals(
      List<X509Certificate> chain, List<X509Certificate> roots) {
    return Stream.of(PeerRole.values())
        .flatMap(role -> new TrustedRoots(roots, role).objection(chain, Optional.empty()).stream())
        .toList();
  }

  private Roots.Authorities roots(List<String> answer) throws UnusableFile {
    if (answer.size() < 2) {
      throw new CredentialFile("cert_chain", "of the CA " + ca.address(), "")
          .unusable(
              "has %d elements; it must have a certificate and, last, the roots"
                  .formatted(answer.size()));
    }
    return new Roots.Authorities(CertificateReader.read(element(answer, answer.size() - 1)));
  }

  @Override
  void close() {
    loop.checkInside();
    closed = true;
    next.cancel();
    expiry.cancel();
  }
}
