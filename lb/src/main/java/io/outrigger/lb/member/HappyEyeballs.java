package io.outrigger.lb.member;

import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static java.util.stream.Collectors.groupingBy;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.Transport;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.state.TransportSecurity;
import io.outrigger.lb.view.LbEndpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the first reachable address of a list. pick_first uses one instance for all its
 * endpoints; every other leaf policy uses one instance per endpoint (A61 "universal leaf policy").
 *
 * <pre>
 * IDLE              -> CONNECTING        on connect: a pass over the addresses begins
 * CONNECTING        -> READY             on a connection; the other attempts are closed
 * CONNECTING        -> TRANSIENT_FAILURE when every address has failed: the pass ends
 * TRANSIENT_FAILURE -> READY             on a connection; retries do not change the state
 * READY             -> IDLE              when the connection is lost
 * READY             -> TRANSIENT_FAILURE during an ejection by outlier detection
 * </pre>
 *
 * <p>A pass over the addresses tries the next address when the previous attempt has failed, or
 * after 250 ms. After a pass without success, each address is retried when its own back-off has
 * elapsed.
 */
@ControlConfined
public final class HappyEyeballs {
  static final Duration ATTEMPT_DELAY = Duration.ofMillis(250); // A61 "Happy Eyeballs"

  private final ControlLoop control;
  private final LbParent parent;
  private final Runnable onChange;

  private List<Candidate> candidates = List.of();
  private Connectivity state = Connectivity.IDLE;
  private RpcStatus lastError = RpcStatus.OK;
  private @Nullable Candidate chosen;

  /**
   * The index of the next candidate that the current pass will try. After the last candidate was
   * tried, the value is the number of candidates.
   */
  private int next;

  private boolean isPassRunning;
  private int failuresAfterPass;
  private TimerHandle attemptTimer = () -> {};

  /**
   * Creates an instance in state IDLE. {@code onChange} runs after each change of state, error or
   * connection.
   */
  public HappyEyeballs(ControlLoop control, LbParent parent, Runnable onChange) {
    this.control = control;
    this.parent = parent;
    this.onChange = onChange;
  }

  public Connectivity state() {
    return state;
  }

  public RpcStatus lastError() {
    return lastError;
  }

  /** The connected subchannel; present in state READY. */
  public Optional<Subchannel> chosen() {
    return chosen == null || chosen.subchannel == null
        ? Optional.empty()
        : Optional.of(chosen.subchannel);
  }

  public List<LbEndpoint> describe(List<Backend> backends) {
    Map<Backend, List<Candidate>> byBackend =
        candidates.stream().collect(groupingBy(candidate -> candidate.backend));
    return backends.stream()
        .map(backend -> describe(backend, byBackend.getOrDefault(backend, List.of())))
        .toList();
  }

  LbEndpoint describe(Backend only) {
    return describe(only, candidates);
  }

  private LbEndpoint describe(Backend backend, List<Candidate> ofBackend) {
    SubchannelCalls totals = SubchannelCalls.NONE;
    boolean isConnecting = false;
    for (int i = 0; i < ofBackend.size(); i++) { // saves an iterator: views call this often
      Candidate candidate = ofBackend.get(i);
      if (candidate.subchannel != null) {
        totals = totals.plus(candidate.subchannel.calls());
        isConnecting |= candidate.state == Connectivity.CONNECTING;
      }
    }
    Connectivity shown = isConnecting ? Connectivity.CONNECTING : Connectivity.IDLE;
    if (chosen != null ? chosen.backend.equals(backend) : state == TRANSIENT_FAILURE) {
      shown = state;
    }
    boolean isSecured =
        shown == Connectivity.READY && backend.endpoint().address().tls().isPresent();
    return new LbEndpoint(
        backend,
        new LbEndpoint.Link(
            shown,
            totals,
            isSecured ? chosenSecurity() : Optional.empty(),
            shown == TRANSIENT_FAILURE ? lastError.message() : ""));
  }

  private Optional<TransportSecurity> chosenSecurity() {
    return chosen()
        .flatMap(subchannel -> Optional.ofNullable(subchannel.transport()))
        .flatMap(Transport::security);
  }

  /**
   * Replaces the addresses. If the connected address is in the new list, the connection stays
   * (A61-04); otherwise, attempts to connect to the new addresses begin, except in state IDLE.
   *
   * @param backends at least one endpoint
   */
  public void update(List<Backend> backends) {
    Backend first = backends.get(0);
    if (candidates.isEmpty() && backends.size() == 1 && first.endpoint().addresses().size() == 1) {
      candidates = List.of(new Candidate(first, first.endpoint().address()));
      return; // a shortcut for the first update of most endpoints, perhaps ten thousand
    }
    Map<Key, Candidate> before = new HashMap<>();
    candidates.forEach(candidate -> before.put(candidate.key(), candidate));
    Map<Key, Candidate> after = new HashMap<>();
    List<Candidate> list = new ArrayList<>();
    for (Backend backend : backends) {
      for (EndpointAddress address : backend.endpoint().addresses()) {
        var key = new Key(address, backend.endpoint().hostname());
        if (after.containsKey(key)) {
          continue;
        }
        Candidate candidate = before.remove(key);
        if (candidate == null) {
          candidate = new Candidate(backend, address);
        }
        candidate.update(backend);
        after.put(key, candidate);
        list.add(candidate);
      }
    }
    List<Candidate> fresh = interleaved(list);
    if (fresh.equals(candidates)) {
      return;
    }
    candidates = fresh;
    if (chosen != null && before.containsKey(chosen.key())) {
      chosen = null;
    }
    before.values().forEach(Candidate::release);
    if (chosen == null && state != Connectivity.IDLE) {
      startPass();
    }
  }

  public void connect() {
    if (state == Connectivity.IDLE && !candidates.isEmpty()) {
      startPass();
    }
  }

  public void close() {
    stopPass();
    chosen = null;
    candidates.forEach(Candidate::release);
    candidates = List.of();
  }

  private void startPass() {
    isPassRunning = true;
    next = 0;
    candidates.forEach(candidate -> candidate.failed = false);
    if (state != TRANSIENT_FAILURE) { // A62: the state lasts until READY
      state = Connectivity.CONNECTING;
    }
    tryNext();
    onChange.run();
  }

  private void stopPass() {
    isPassRunning = false;
    attemptTimer.cancel();
  }

  private void tryNext() {
    attemptTimer.cancel();
    while (next < candidates.size()) {
      Candidate candidate = candidates.get(next++);
      if (candidate.state == TRANSIENT_FAILURE) { // the attempt failed and is in back-off
        candidate.failed = true;
        continue;
      }
      candidate.connect();
      if (next < candidates.size()) {
        attemptTimer = control.schedule(ATTEMPT_DELAY, this::tryNext);
      }
      return;
    }
    endPassIfAllFailed();
  }

  private void endPassIfAllFailed() {
    if (next < candidates.size() || !candidates.stream().allMatch(candidate -> candidate.failed)) {
      return;
    }
    stopPass();
    failuresAfterPass = 0;
    state = TRANSIENT_FAILURE;
    parent.requestReresolution();
    for (Candidate candidate : candidates) {
      if (candidate.state == Connectivity.IDLE) {
        candidate.connect();
      }
    }
    onChange.run();
  }

  private void choose(Candidate candidate) {
    stopPass();
    chosen = candidate;
    for (Candidate other : candidates) {
      if (other != candidate) {
        other.release();
      }
    }
    state = Connectivity.READY;
    onChange.run();
  }

  private void onFailed(Candidate candidate, RpcStatus reason) {
    lastError = reason;
    candidate.failed = true;
    if (!isPassRunning) {
      if (++failuresAfterPass % candidates.size() == 0) { // A61: as many failures as addresses
        parent.requestReresolution();
      }
      onChange.run();
    } else if (candidates.get(next - 1) == candidate) {
      tryNext();
    } else {
      endPassIfAllFailed();
    }
  }

  private void onStateOfChosen(Connectivity now, RpcStatus reason) {
    switch (now) {
      case IDLE -> {
        chosen = null;
        state = Connectivity.IDLE;
        parent.requestReresolution();
      }
      case TRANSIENT_FAILURE -> {
        lastError = reason;
        state = now;
      }
      case CONNECTING, READY -> state = now;
    }
    onChange.run();
  }

  /**
   * Orders the addresses so that address families alternate, but keeps the first address of the
   * list in the first position (A61, RFC 8305 section 4).
   */
  private static List<Candidate> interleaved(List<Candidate> list) {
    List<Candidate> first = new ArrayList<>();
    List<Candidate> second = new ArrayList<>();
    for (Candidate candidate : list) {
      boolean sameFamily = isIp6(candidate.address) == isIp6(list.get(0).address);
      (sameFamily ? first : second).add(candidate);
    }
    List<Candidate> mixed = new ArrayList<>(list.size());
    for (int i = 0; i < Math.max(first.size(), second.size()); i++) {
      if (i < first.size()) {
        mixed.add(first.get(i));
      }
      if (i < second.size()) {
        mixed.add(second.get(i));
      }
    }
    return List.copyOf(mixed);
  }

  private static boolean isIp6(EndpointAddress address) {
    return address.ip().contains(":");
  }

  private record Key(EndpointAddress address, String hostname) {}

  /** One address and its subchannel, which is created for the first attempt. */
  private final class Candidate implements Subchannel.Listener {
    private final EndpointAddress address;
    private Backend backend;
    private @Nullable Subchannel subchannel;
    private Connectivity state = Connectivity.IDLE;
    private boolean failed;

    Candidate(Backend backend, EndpointAddress address) {
      this.backend = backend;
      this.address = address;
    }

    Key key() {
      return new Key(address, backend.endpoint().hostname());
    }

    @SuppressWarnings("ReferenceEquality") // equal backends are the same object
    void update(Backend current) {
      if (backend != current) {
        backend = current;
        if (subchannel != null) {
          subchannel.update(current);
        }
      }
    }

    void connect() {
      if (subchannel == null) {
        subchannel = parent.newSubchannel(backend, address, this);
      }
      Objects.requireNonNull(subchannel).requestConnection();
    }

    void release() {
      if (subchannel != null) {
        subchannel.close();
        subchannel = null;
        state = Connectivity.IDLE;
      }
    }

    @Override
    public void onState(Connectivity now, RpcStatus reason) {
      if (subchannel == null) {
        return; // the subchannel was closed
      }
      state = now;
      if (chosen == this) {
        onStateOfChosen(now, reason);
      } else if (now == Connectivity.READY) {
        choose(this);
      } else if (now == TRANSIENT_FAILURE) {
        onFailed(this, reason);
      } else if (now == Connectivity.IDLE
          && HappyEyeballs.this.state == TRANSIENT_FAILURE
          && !isPassRunning) {
        connect(); // the back-off has elapsed
      }
    }
  }
}
