package io.outrigger.lb.override;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Count;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbEndpoint.Owner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Describes session affinity for status views. */
@ControlConfined
record AffinityView(ControlLoop control, IdleSweep sweep, @Nullable AddressMap entries) {
  String detail(LbConfig.OverrideHost config) {
    List<String> parts = new ArrayList<>();
    if (entries == null) {
      parts.add("no session so far");
    } else {
      parts.add(Count.of(entries.kept().size(), "connection") + " kept for sessions alone");
    }
    int left = config.sessionOnly().size() + config.setAside().size();
    if (left > 0) {
      parts.add(Count.of(left, "endpoint") + " left out for health");
    }
    return String.join(", ", parts);
  }

  /** Returns the endpoints that no policy beneath knows. */
  List<LbEndpoint> unbalanced(LbConfig.OverrideHost config) {
    List<LbEndpoint> endpoints = new ArrayList<>();
    for (Backend backend : config.sessionOnly()) {
      endpoints.add(seen(LbEndpoint.untouched(backend)));
    }
    config.setAside().forEach(backend -> endpoints.add(LbEndpoint.untouched(backend)));
    return endpoints;
  }

  /** Returns {@code endpoint}, which a policy beneath reported, with its session affinity added. */
  LbEndpoint seen(LbEndpoint endpoint) {
    AddressEntry first = entries == null ? null : entries.get(endpoint.address().bare());
    if (entries == null || first == null) {
      return endpoint;
    }
    LbEndpoint seen = endpoint;
    Owner owner = Owner.NOBODY;
    Optional<Instant> lastUse = Optional.empty();
    Optional<Instant> closes = Optional.empty();
    long latest = Long.MAX_VALUE;
    Instant now = control.now();
    for (AddressEntry entry : entries.hostsOf(first.backend())) {
      long unused = entry.unusedNanos(control.nanoTime());
      if (unused >= 0 && unused < latest) {
        latest = unused;
        lastUse = Optional.of(now.minusNanos(unused));
      }
      if (entry.ownership() == Ownership.SESSIONS) {
        owner = Owner.SESSIONS;
        closes = Optional.of(now.plus(sweep.end(entries.remaining(entry))));
        Connectivity state = Objects.requireNonNull(entry.link()).state();
        seen = seen.with(new LbEndpoint.Link(state, entry.calls()));
      } else if (entry.ownership() == Ownership.BALANCER && owner == Owner.NOBODY) {
        owner = Owner.BALANCER;
      }
    }
    return seen.with(new LbEndpoint.Affinity(owner, lastUse, closes));
  }
}
