package io.outrigger.program.demo;

import io.grpc.Status;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Count;
import io.outrigger.base.WaitingClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Runs the steps of the demo and prints them in plain words. Traffic uses the first priority; its
 * backends are killed; traffic fails over; these backends are started again. In the second part,
 * other programs of the mesh call a backend through the address that the sidecar serves. Runs on
 * the caller's thread.
 */
@AnyThread
final class DemoStory {
  // The duration of each repetition of the story, if the demo has no time limit.
  private static final Duration ROUND = Duration.ofSeconds(30);
  private static final Duration STEP_LIMIT = Duration.ofSeconds(60); // enough for slow machines
  private static final Duration POLL = Duration.ofMillis(10);

  /** Three callers: one with a certificate that RBAC allows, one with another, one without. */
  record Peers(DemoClient allowed, DemoClient denied, Connector anonymous) {}

  /** Creates a client for one call. A rejected client reconnects until it is closed. */
  interface Connector {
    DemoClient connect() throws IOException;
  }

  private final PrintWriter out;
  private final DemoLoad load;
  private final Peers peers;
  private final List<DemoBackend> first;
  private final DemoBackend second;
  private final BooleanSupplier stopped;
  private final long startNanos;
  private boolean allSucceeded = true;

  DemoStory(
      PrintWriter out,
      DemoLoad load,
      Peers peers,
      List<DemoBackend> first,
      DemoBackend second,
      BooleanSupplier stopped) {
    this.out = out;
    this.load = load;
    this.peers = peers;
    this.first = List.copyOf(first);
    this.second = second;
    this.stopped = stopped;
    this.startNanos = WaitingClock.nanoTime();
  }

  void introduce(
      InetSocketAddress controlPlane,
      InetSocketAddress sidecar,
      InetSocketAddress served,
      Optional<InetSocketAddress> admin) {
    print("A complete mesh in this process, on loopback:");
    print(
        "  control plane  %s  (ADS, serves xds:///%s)"
            .formatted(text(controlPlane), DemoControlPlane.TARGET));
    print(
        "  priority 0     %s"
            .formatted(first.stream().map(DemoStory::named).collect(Collectors.joining(", "))));
    print("  priority 1     %s".formatted(named(second)));
    print("  the app dials  %s  with plain gRPC and knows nothing of xDS".formatted(text(sidecar)));
    print(
        "  others dial    %s  with mutual TLS, to reach %s".formatted(text(served), second.name()));
    admin.ifPresent(address -> print("  look inside    http://%s/".formatted(text(address))));
    print("");
  }

  void introduceSecondSidecar(String program, Path bootstrap) {
    print("To run a sidecar of your own in this mesh, paste this into another terminal:");
    print(
        "  %s run --bootstrap %s --forward 9001=xds:///%s --admin 127.0.0.1:9902"
            .formatted(program, bootstrap, DemoControlPlane.TARGET));
    print("");
  }

  /**
   * With a limit, runs the story once; without a limit, repeats the story until the demo is
   * stopped. Returns whether every step succeeded.
   */
  boolean run(Optional<Duration> limit) throws IOException {
    do {
      runOnce(limit.orElse(ROUND).toMillis() / 4);
    } while (limit.isEmpty() && !stopped.getAsBoolean());
    return allSucceeded;
  }

  private void runOnce(long stepMillis) throws IOException {
    happens(() -> answeredBy(first) > 0);
    pause(stepMillis);
    sayWithAnswers("All is well: the first priority answers everything.");

    for (DemoBackend backend : first) {
      backend.kill();
    }
    long killed = WaitingClock.nanoTime();
    say("Now %s, all of the first priority, are killed.".formatted(names(first)));
    long before = second.answered();
    if (happens(() -> second.answered() > before)) {
      say(
          "Traffic has failed over to %s, %d ms after the kill."
              .formatted(second.name(), millisSince(killed)));
      load.takeByBackend();
    }
    pause(stepMillis);
    sayWithAnswers("The second priority answers everything.");

    long revived = WaitingClock.nanoTime();
    long earlier = answeredBy(first);
    for (DemoBackend backend : first) {
      backend.revive();
    }
    say("Now the first priority is started again, on the same ports.");
    if (happens(() -> answeredBy(first) > earlier)) {
      say(
          "Traffic is back on it after %d ms, when the sidecar's next attempt to connect was due."
              .formatted(millisSince(revived)));
      load.takeByBackend();
    }
    pause(stepMillis);
    sayWithAnswers("All is as in the beginning.");

    callsOfPeers();
    pause(stepMillis / 2);
  }

  /** Three programs call the served address; the RBAC policy allows only one of them (A36, A41). */
  private void callsOfPeers() throws IOException {
    if (!happens(() -> peers.allowed().call().backend().equals(second.name()))) {
      return;
    }
    say(
        ("Second act: the sidecar stands before %s. The program orders calls with its certificate:"
                + " %s.")
            .formatted(second.name(), peers.allowed().call().text()));
    Status.Code refusal = peers.denied().call().status().getCode();
    say("billing has a certificate too, but no policy allows it: %s.".formatted(refusal));
    Status.Code failure;
    try (DemoClient anonymous = peers.anonymous().connect()) {
      failure = anonymous.call().status().getCode();
    }
    say("A program without a certificate does not pass the TLS handshake: %s.".formatted(failure));
    allSucceeded &= refusal == Status.Code.PERMISSION_DENIED && failure == Status.Code.UNAVAILABLE;
  }

  void conclude() {
    long all = load.succeeded() + load.failed();
    print("");
    print(
        "The app made %d calls: %d succeeded, %d failed."
            .formatted(all, load.succeeded(), load.failed()));
    if (!allSucceeded) {
      print("The story did not go as it should; see the log above.");
    }
  }

  /** Prints a text, and the app's replies and failures since this method's last call. */
  private void sayWithAnswers(String text) {
    String answers =
        load.takeByBackend().entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining(", "));
    say("%s Answers: %s.".formatted(text, answers));
    load.takeByFailure()
        .forEach(
            (failure, count) ->
                say("%s failed meanwhile, with %s".formatted(Count.of(count, "call"), failure)));
  }

  private void print(String line) {
    out.println(line);
    out.flush();
  }

  /** Prints a line of the story, unless the user has ended the demo. */
  private void say(String text) {
    if (stopped.getAsBoolean()) {
      return;
    }
    double seconds = (WaitingClock.nanoTime() - startNanos) / 1e9;
    print(String.format(Locale.ROOT, "%6.1f s  %s", seconds, text));
  }

  /**
   * Waits until a step of the story has happened. Returns false after 60 s, and when the user ends
   * the demo.
   */
  private boolean happens(BooleanSupplier step) {
    long deadline = WaitingClock.nanoTime() + STEP_LIMIT.toNanos();
    while (!step.getAsBoolean()) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      if (WaitingClock.nanoTime() - deadline > 0) {
        allSucceeded = false;
        return false;
      }
      WaitingClock.sleep(POLL);
    }
    return true;
  }

  private void pause(long millis) {
    long end = WaitingClock.nanoTime() + Duration.ofMillis(millis).toNanos();
    while (!stopped.getAsBoolean() && WaitingClock.nanoTime() - end < 0) {
      WaitingClock.sleep(POLL);
    }
  }

  private static long answeredBy(List<DemoBackend> backends) {
    return backends.stream().mapToLong(DemoBackend::answered).sum();
  }

  private static long millisSince(long nanos) {
    return Duration.ofNanos(WaitingClock.nanoTime() - nanos).toMillis();
  }

  private static String names(List<DemoBackend> backends) {
    return backends.stream().map(DemoBackend::name).collect(Collectors.joining(" and "));
  }

  private static String named(DemoBackend backend) {
    return backend.name() + " (127.0.0.1:" + backend.port() + ")";
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }
}
