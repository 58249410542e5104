package io.outrigger.lb;

import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.lb.view.LbObserver;

/**
 * Process-wide services that the policies of a target use.
 *
 * @param observer receives the events of the policies
 * @param loops the number of event loops that pick; each {@link PickContext#loop} index is below
 *     this number
 * @param namesPriorities whether the explanation of a waiting call names the priority (A121)
 */
public record LbContext(
    ControlLoop control,
    RandomSource random,
    LbObserver observer,
    int loops,
    boolean namesPriorities) {}
