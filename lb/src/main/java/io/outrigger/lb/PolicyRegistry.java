package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.cluster.BalancingPolicy.EndpointPicking;
import io.outrigger.lb.config.LbConfig;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Maps each kind of configuration (see {@link LbConfig#kind}) to its policy. The registry is filled
 * at start-up, where {@link #complete} reports a missing policy before any cluster needs the
 * policy.
 */
@ControlConfined
public final class PolicyRegistry implements PolicyFactory {
  private final Map<Class<?>, PolicyFactory> factories = new HashMap<>();

  /**
   * Registers a policy that has child policies, or that has no endpoints.
   *
   * @throws IllegalStateException if a policy is already registered for {@code config}
   */
  public <C extends LbConfig> PolicyRegistry node(
      Class<C> config, BiFunction<C, LbParent, LbPolicy> factory) {
    return add(config, (given, parent) -> factory.apply(config.cast(given), parent));
  }

  /**
   * Registers a policy that picks endpoints.
   *
   * @throws IllegalStateException if a policy is already registered for {@code settings}
   */
  public <S extends EndpointPicking> PolicyRegistry leaf(
      Class<S> settings, BiFunction<LbConfig.Leaf<S>, LbParent, LbPolicy> factory) {
    return add(
        settings, (given, parent) -> factory.apply(LbConfig.Leaf.of(settings, given), parent));
  }

  private PolicyRegistry add(Class<?> kind, PolicyFactory factory) {
    if (factories.putIfAbsent(kind, factory) != null) {
      throw new IllegalStateException("two policies for " + kind.getName());
    }
    return this;
  }

  /**
   * Returns this registry after checking that every kind of configuration has a policy.
   *
   * @throws IllegalStateException if a kind of configuration has no policy
   */
  public PolicyRegistry complete() {
    Set<Class<?>> missing = new LinkedHashSet<>(List.of(LbConfig.class.getPermittedSubclasses()));
    missing.remove(LbConfig.Wrapping.class);
    missing.addAll(List.of(LbConfig.Wrapping.class.getPermittedSubclasses()));
    missing.remove(LbConfig.Leaf.class);
    missing.addAll(List.of(EndpointPicking.class.getPermittedSubclasses()));
    missing.removeAll(factories.keySet());
    if (!missing.isEmpty()) {
      throw new IllegalStateException("no policy for " + missing);
    }
    return this;
  }

  @Override
  public LbPolicy create(LbConfig config, LbParent parent) {
    PolicyFactory factory = factories.get(config.kind());
    if (factory == null) {
      throw new IllegalStateException("no policy for " + config);
    }
    return factory.create(config, parent);
  }
}
