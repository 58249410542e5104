package io.outrigger.lb.view;

import io.outrigger.lb.state.Connectivity;
import java.util.Map;

/**
 * What a node of the tree says of itself; see {@link LbNode} for each part.
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
