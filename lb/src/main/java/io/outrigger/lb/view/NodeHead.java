package io.outrigger.lb.view;

import io.outrigger.lb.state.Connectivity;
import java.util.Map;

/**
 * The properties of a node without its children and endpoints; {@link LbNode} describes each
 * property.
 *
 * @param config the policy's settings, which must not be modified
 */
public record NodeHead(
    String name,
    String policy,
    Connectivity state,
    Map<String, Object> config,
    String detail,
    boolean isUsed) {
  /** The detail of a node that its parent has not started. */
  public static final String NOT_STARTED = "not started";
}
