package io.outrigger.lb.endpoint;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Backend;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.FixedPicker;
import io.outrigger.lb.LbConfig;
import io.outrigger.lb.LbEndpoint;
import io.outrigger.lb.LbNode;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Each READY endpoint in turn. Every endpoint is connected, and connected again as soon as its
 * connection is lost; one that failed counts as failed until it is READY (A62).
 *
 * <pre>
 * READY              any endpoint is READY
 * CONNECTING         else, any endpoint is CONNECTING
 * TRANSIENT_FAILURE  else
 * </pre>
 *
 * <p>An update touches only what it changes: an endpoint that stays keeps its connection. Changes
 * of state are gathered for the rest of the turn of the control loop, so that ten thousand
 * endpoints that connect at once do not publish ten thousand pickers. Each of them publishes a new
 * picker all the same, even when the READY ones are the same as before: a call may wait because the
 * connection it was given had just gone, and only another picker wakes it.
 */
@ControlConfined
final class RoundRobinPolicy implements LbPolicy {
  private final ControlLoop control;
  private final RandomSource random;
  private final int loops;
  private final LbParent parent;

  private LbConfig.RoundRobin config;
  private Map<Key, Member> members = new LinkedHashMap<>();
  private Connectivity state = Connectivity.CONNECTING;
  private @Nullable Member lastFailed;
  private boolean publishPosted;
  private boolean closed;

  RoundRobinPolicy(
      ControlLoop control,
      RandomSource random,
      int loops,
      LbConfig.RoundRobin config,
      LbParent parent) {
    this.control = control;
    this.random = random;
    this.loops = loops;
    this.config = config;
    this.parent = parent;
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.RoundRobin) next;
    Map<Key, Member> before = members;
    members = new LinkedHashMap<>();
    List<Member> added = new ArrayList<>();
    for (Backend backend : config.backends()) {
      var key = new Key(backend.endpoint().addresses(), backend.endpoint().hostname());
      if (members.containsKey(key)) {
        continue; // the same endpoint twice is one endpoint
      }
      Member member = before.remove(key);
      if (member == null) {
        member = new Member(backend);
        added.add(member);
      }
      member.take(backend);
      members.put(key, member);
    }
    for (Member removed : before.values()) {
      removed.close();
      if (removed == lastFailed) {
        lastFailed = null; // its error says nothing of those that are left
      }
    }
    added.forEach(Member::connect);
    publish();
  }

  @Override
  public void close() {
    closed = true;
    members.values().forEach(Member::close);
    members = new LinkedHashMap<>();
  }

  @Override
  public LbNode describe(String name) {
    List<LbEndpoint> endpoints = members.values().stream().map(Member::describe).toList();
    return LbNode.leaf(name, config, state, "", endpoints);
  }

  private void onMemberChange(Member member) {
    if (closed) {
      return;
    }
    switch (member.addresses.state()) {
      case IDLE -> {
        member.addresses.connect();
        return; // which tells of CONNECTING
      }
      case TRANSIENT_FAILURE -> lastFailed = member;
      case CONNECTING, READY -> {}
    }
    if (!publishPosted) {
      publishPosted = true;
      control.execute(this::publishIfPosted);
    }
  }

  private void publishIfPosted() {
    if (publishPosted && !closed) {
      publish();
    }
  }

  private void publish() {
    publishPosted = false;
    List<PickResult> ready = new ArrayList<>();
    boolean connecting = false;
    for (Member member : members.values()) {
      Connectivity of = member.addresses.state();
      if (of == Connectivity.READY) {
        ready.add(member.use());
      } else if (of != Connectivity.TRANSIENT_FAILURE) {
        connecting = true;
      }
    }
    if (!ready.isEmpty()) {
      publish(
          Connectivity.READY,
          new RoundRobinPicker(ready.toArray(PickResult[]::new), loops, random));
    } else if (connecting) {
      publish(Connectivity.CONNECTING, FixedPicker.QUEUE);
    } else {
      String reason =
          members.isEmpty()
              ? "there are no endpoints"
              : "no endpoint can be reached; last error: " + lastError();
      publish(
          Connectivity.TRANSIENT_FAILURE,
          new FixedPicker(new PickResult.Fail(config.note().unavailable(reason))));
    }
  }

  private void publish(Connectivity next, Picker picker) {
    state = next;
    parent.publish(next, picker);
  }

  private String lastError() {
    Member member = lastFailed != null ? lastFailed : members.values().iterator().next();
    return member.addresses.lastError().message();
  }

  /** What makes an endpoint another one; weight and health do not. */
  private record Key(List<EndpointAddress> addresses, String hostname) {}

  /** An endpoint and its connection. */
  private final class Member {
    private final FirstAddress addresses =
        new FirstAddress(control, parent, () -> onMemberChange(this));
    private Backend backend;
    private PickResult.@Nullable Use use;

    Member(Backend backend) {
      this.backend = backend;
    }

    void take(Backend current) {
      backend = current;
      addresses.update(List.of(current));
    }

    void connect() {
      addresses.connect();
    }

    void close() {
      addresses.close();
    }

    /** The prepared answer; kept while the connection is over the same subchannel. */
    PickResult.Use use() {
      Subchannel chosen = addresses.chosen().orElseThrow();
      PickResult.Use prepared = use;
      if (prepared == null || prepared.subchannel() != chosen) {
        prepared = new PickResult.Use(chosen);
        use = prepared;
      }
      return prepared;
    }

    LbEndpoint describe() {
      return addresses.describe(List.of(backend)).get(0);
    }
  }
}
