/**
 * Shares calls among localities by weight. The policy runs on the control loop; its picker runs on
 * event loops. This package implements weighted_target (A28 "weighted_target LB policy", A27-09).
 */
package io.outrigger.lb.locality;
