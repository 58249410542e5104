package io.outrigger.xds.transport;

import io.grpc.Status;
import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.PlainText;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RegularFile;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Call credentials of the bootstrap's {@code jwt_token_file} (A97 "JwtTokenFileCallCredentials").
 *
 * <pre>
 * a call comes with
 *   a token, far from its end     gets it
 *   a token, near its end         gets it; the file is read again beside it
 *   no token, not backing off     waits for the file to be read
 *   no token, backing off         fails as the last reading did
 * the file was read
 *   with success                  those who wait get the token; back-off starts anew
 *   in vain                       those who wait fail; back-off
 * </pre>
 *
 * <p>An end is 30 s before the token's own. Nothing is read unless a call comes.
 */
@ControlConfined
final class JwtTokenFile extends BearerCredentials {
  private static final Duration SKEW = Duration.ofSeconds(30); // A97
  private static final Duration REFRESH = Duration.ofMinutes(1); // A97
  private static final int MAX_BYTES = 64 << 10;

  private final ControlLoop loop;
  private final Executor reading;
  private final String path;
  private final Backoff backoff;
  private final List<MetadataApplier> waiting = new ArrayList<>();
  private @Nullable JwtToken token;
  private boolean isReading;
  private boolean backingOff;
  private Status lastFailure = Status.UNAVAILABLE;

  /**
   * Reads nothing yet.
   *
   * @param reading runs what may block
   */
  JwtTokenFile(ControlLoop loop, Executor reading, RandomSource random, String path) {
    super(loop, "jwt_token_file " + path);
    this.loop = loop;
    this.reading = reading;
    this.path = path;
    this.backoff = new Backoff(random);
  }

  @Override
  void apply(MetadataApplier applier) {
    JwtToken known = token;
    if (known != null && left(known).compareTo(Duration.ZERO) > 0) {
      applier.apply(header(known.text()));
      if (left(known).compareTo(REFRESH) < 0) {
        read();
      }
      return;
    }
    if (backingOff) {
      applier.fail(lastFailure);
      return;
    }
    waiting.add(applier);
    read();
  }

  /** The end of a token is a time of the wall clock, so that clock decides here. */
  private Duration left(JwtToken of) {
    return Duration.between(loop.now(), of.expiry().minus(SKEW));
  }

  private void read() {
    if (isReading || backingOff) {
      return;
    }
    isReading = true;
    Instant now = loop.now();
    reading.execute(
        () -> {
          try {
            JwtToken found = readFile(path, now);
            loop.execute(() -> onRead(found));
          } catch (NoToken failure) {
            loop.execute(() -> onFailed(failure.status));
          } catch (RuntimeException bug) { // calls must not wait for ever; its text may be secret
            Status status = failure(path, Status.UNAVAILABLE, "cannot be read").status;
            loop.execute(() -> onFailed(status));
          }
        });
  }

  private void onRead(JwtToken found) {
    isReading = false;
    token = found;
    backoff.reset();
    takeWaiting().forEach(applier -> applier.apply(header(found.text())));
  }

  private void onFailed(Status failure) {
    isReading = false;
    lastFailure = failure;
    backingOff = true;
    var unused = loop.schedule(backoff.next(), () -> backingOff = false);
    takeWaiting().forEach(applier -> applier.fail(failure));
  }

  private List<MetadataApplier> takeWaiting() {
    var all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  /** Why there would be no token now; empty when there is one. Blocks. */
  static Optional<String> problem(String path, Instant now) {
    try {
      var unused = readFile(path, now);
      return Optional.empty();
    } catch (NoToken failure) {
      return Optional.of(String.valueOf(failure.getMessage()));
    }
  }

  private static JwtToken readFile(String path, Instant now) throws NoToken {
    byte[] content;
    try {
      content = RegularFile.read(path, MAX_BYTES);
    } catch (RegularFile.Unreadable e) {
      throw failure(path, Status.UNAVAILABLE, e.reason());
    }
    JwtToken found;
    try {
      found = JwtToken.parse(new String(content, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException invalid) {
      throw failure(path, Status.UNAUTHENTICATED, String.valueOf(invalid.getMessage()));
    }
    if (!found.expiry().isAfter(now)) { // the server would refuse it with fewer words
      throw failure(path, Status.UNAUTHENTICATED, "has expired at " + found.expiry());
    }
    return found;
  }

  private static NoToken failure(String path, Status status, String reason) {
    return new NoToken(
        status.withDescription("jwt_token_file " + PlainText.of(path) + " " + reason));
  }

  private static final class NoToken extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient Status status;

    NoToken(Status status) {
      super(status.getDescription());
      this.status = status;
    }
  }
}
