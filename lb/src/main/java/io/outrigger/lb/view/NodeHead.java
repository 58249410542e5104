package io.outrigger.lb.view;

import io.outrigger.lb.state.Connectivity;
import java.util.Map;

/**
 * The values of a node without its children and endpoints; see {@link LbNode} for each.
 *
 * @param config not to be modified
 */
public record NodeHead(
    String name,
    String policy,
    Connectivity state,
    Map<String, Object> config,
    String detail,
    boolean isUsed) {}
