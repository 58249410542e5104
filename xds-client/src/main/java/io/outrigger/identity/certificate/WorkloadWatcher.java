package io.outrigger.identity.certificate;

import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.PathWatcher;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.WorkloadEndpoint;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Watches the SPIFFE Workload API through one call (SPW-01). Each response replaces the previous
 * one. Of several responses within {@link #PACE}, only the newest is read. A call that ends, or
 * receives no response for a minute, is retried after a back-off. A failure does not change the
 * certificates in use.
 */
@ControlConfined
final class WorkloadWatcher extends CertificateSource {
  /** How long an app's calls wait for the first response once the Workload API call is open. */
  static final Duration FIRST_ANSWER = Duration.ofSeconds(5);

  /** How long an app's calls wait while gRPC is loaded and the Workload API call is opened. */
  static final Duration FIRST_CALL = Duration.ofSeconds(15);

  /**
   * How long a Workload API call may wait for its first response. An agent that must wait for a
   * kubelet may need half a minute to answer. An agent never answers after another agent has taken
   * over its socket.
   */
  static final Duration GIVE_UP = Duration.ofMinutes(1);

  /**
   * The maximum back-off is short, because the agent is on the same machine and calls may wait for
   * an identity.
   */
  static final Duration MAX_BACKOFF = Duration.ofSeconds(30);

  /**
   * The minimum time between reads of two responses, so that an agent that sends responses in a
   * loop causes little load.
   */
  static final Duration PACE = PathWatcher.PACE;

  /**
   * The maximum number of responses that are received from the start of one reading to the start of
   * the next. A reading parses only the newest response.
   */
  static final int BURST = 500;

  private final ControlLoop loop;
  private final Executor reading;
  private final WorkloadApi api;
  private final Optional<WorkloadEndpoint> configured;
  private final Backoff backoff;
  private boolean hasEndpoint;
  private @Nullable Answers answers;
  private TimerHandle next = () -> {};
  private TimerHandle firstAnswer = () -> {};

  WorkloadWatcher(
      ControlLoop loop,
      Executor reading,
      RandomSource random,
      WorkloadApi api,
      Optional<WorkloadEndpoint> configured,
      Listener listener) {
    super(listener);
    this.loop = loop;
    this.reading = reading;
    this.api = api;
    this.configured = configured;
    this.backoff = new Backoff(random, MAX_BACKOFF);
  }

  @Override
  void start() {
    loop.checkInside();
    Outcome<WorkloadEndpoint> endpoint =
        configured.<Outcome<WorkloadEndpoint>>map(Outcome::ok).orElseGet(api::ambient);
    endpoint.toOptional().ifPresentOrElse(this::begin, () -> fail(endpoint.status().message()));
  }

  private void begin(WorkloadEndpoint endpoint) {
    hasEndpoint = true;
    awaitAnswer(endpoint, FIRST_CALL);
    open(endpoint);
  }

  private void awaitAnswer(WorkloadEndpoint endpoint, Duration limit) {
    firstAnswer.cancel();
    firstAnswer =
        loop.schedule(
            limit, () -> fail("the Workload API " + endpoint.uri() + " has not answered yet"));
  }

  @Override
  Optional<String> lack() {
    return hasEndpoint && snapshot().loaded().isEmpty()
        ? Optional.of(snapshot().lack())
        : Optional.empty();
  }

  private void open(WorkloadEndpoint endpoint) {
    var opened = new Answers(endpoint);
    answers = opened;
    opened.begin();
  }

  private void fail(String reason) {
    publish(failed(reason));
  }

  private static FileReading failed(String reason) {
    var failed = Outcome.<Identity>failed(RpcStatus.unavailable(reason));
    return new FileReading(Optional.of(failed), Optional.empty());
  }

  private void publish(FileReading read) {
    firstAnswer.cancel();
    publish(snapshot().after(read, loop.now()));
  }

  @Override
  void close() {
    loop.checkInside();
    Answers last = answers;
    answers = null;
    next.cancel();
    firstAnswer.cancel();
    if (last != null) {
      last.close();
    }
  }

  /** Requests the responses of one call, and reads them off the control loop. */
  private final class Answers implements WorkloadApi.Listener {
    private final WorkloadEndpoint endpoint;
    private final long startedNanos = loop.nanoTime();
    private final TimerHandle silence = loop.schedule(GIVE_UP, this::onSilence);
    private TimerHandle pace = () -> {};
    private WorkloadApi.@Nullable Call call;
    private @Nullable WorkloadResponse unread;

    /** Whether a response is being read, or was read less than {@link #PACE} ago. */
    private boolean isPacing;

    /** The number of responses that were received since {@code isPacing} was last false. */
    private int received;

    private boolean isRequestDue;

    Answers(WorkloadEndpoint endpoint) {
      this.endpoint = endpoint;
    }

    private void onSilence() {
      answers = null; // further responses of this call are ignored
      close();
      onEnd(RpcStatus.unavailable("no answer within " + GIVE_UP.toSeconds() + " s"));
    }

    void close() {
      silence.cancel();
      pace.cancel();
      if (call != null) {
        call.close();
      }
    }

    private void ifCurrent(Runnable task) {
      loop.execute(
          () -> {
            if (answers == this) {
              task.run();
            }
          });
    }

    /** Opens the call off the control loop, because the first call loads gRPC. */
    void begin() {
      reading.execute(
          () -> {
            try {
              WorkloadApi.Call opened = api.open(endpoint, this);
              loop.execute(() -> onOpened(opened));
            } catch (RuntimeException | Error bug) {
              onClosed(RpcStatus.unavailable("the call failed: " + bug.getClass()));
            }
          });
    }

    private void onOpened(WorkloadApi.Call opened) {
      call = opened;
      if (answers != this) { // the call was replaced or closed before it opened
        opened.close();
        return;
      }
      proceed();
      if (snapshot().isUnread()) {
        awaitAnswer(endpoint, FIRST_ANSWER);
      }
    }

    @Override
    public void onResponse(WorkloadResponse response) {
      ifCurrent(
          () -> {
            silence.cancel();
            unread = response;
            received++;
            isRequestDue = true;
            proceed();
          });
    }

    /** Requests and reads responses as far as {@link #BURST} and {@link #PACE} permit. */
    private void proceed() {
      if (isRequestDue && call != null && received < BURST) {
        isRequestDue = false;
        call.request();
      }
      WorkloadResponse newest = unread;
      if (newest != null && !isPacing) {
        isPacing = true;
        read(newest);
      }
    }

    private void read(WorkloadResponse newest) {
      unread = null;
      reading.execute(
          () -> {
            try {
              FileReading read = newest.read(endpoint.uri());
              ifCurrent(() -> onRead(read));
            } catch (RuntimeException | Error bug) { // its text might quote a secret
              ifCurrent(() -> onRead(failed("a response cannot be read: " + bug.getClass())));
            }
          });
    }

    private void onRead(FileReading read) {
      if (read.failure().isEmpty()) {
        backoff.reset();
      }
      pace.cancel();
      pace =
          loop.schedule(
              PACE,
              () -> {
                isPacing = false;
                received = 0;
                proceed();
              });
      publish(read);
    }

    /** Ends the call after the reading thread has read the newest response. */
    @Override
    public void onClosed(RpcStatus reason) {
      ifCurrent(
          () -> {
            WorkloadResponse newest = unread;
            if (newest != null) {
              read(newest);
            }
            reading.execute(() -> ifCurrent(() -> onEnd(reason)));
          });
    }

    private void onEnd(RpcStatus reason) {
      silence.cancel();
      pace.cancel();
      next.cancel();
      boolean isDenied = reason.code() == RpcStatus.Code.PERMISSION_DENIED;
      fail(
          "the Workload API %s: %s%s"
              .formatted(
                  endpoint.uri(),
                  reason.toString(),
                  isDenied ? "; register this workload with the agent" : ""));
      next =
          loop.schedule(
              backoff.next().minusNanos(loop.nanoTime() - startedNanos), () -> open(endpoint));
    }
  }
}
