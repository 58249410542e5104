/**
 * Taking endpoints in turn, each as often as the load that it reports allows. Control loop; its
 * picker and the reports are used on event loops. Implements weighted_round_robin (A58) with the
 * choice of metrics (A114) over the reports of A51.
 */
@NullMarked
package io.outrigger.lb.endpoint.weighted;

import org.jspecify.annotations.NullMarked;
