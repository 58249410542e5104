/**
 * Targets {@code k8s:///service.namespace:port}: the endpoints of Kubernetes services, which the
 * API server lists and watches as EndpointSlices. The package turns services into xDS resources
 * (decision xds-0079), which pass through the same decoders and cache as those of a control plane.
 *
 * <p>All requests to the API server, and the slices, belong to a thread of this package; the
 * transports of finished resources belong to the control loop. Without such a target no thread of
 * this package runs, and no class of it but {@code Kubernetes} is loaded.
 */
@NullMarked
package io.outrigger.xds.kubernetes;

import org.jspecify.annotations.NullMarked;
