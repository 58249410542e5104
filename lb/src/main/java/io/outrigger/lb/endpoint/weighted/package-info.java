/**
 * Picks endpoints in turn, each as often as its reported load allows. The policy runs on the
 * control loop; its picker and the load reports are used on event loops. This package implements
 * weighted_round_robin (A58) with the choice of metrics (A114), based on the load reports of A51.
 */
@NullMarked
package io.outrigger.lb.endpoint.weighted;

import org.jspecify.annotations.NullMarked;
