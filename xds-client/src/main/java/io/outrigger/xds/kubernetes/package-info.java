/**
 * Targets {@code k8s:///service.namespace:port}: the endpoints of Kubernetes services, which the
 * API server lists and watches as EndpointSlices. The package turns services into xDS resources
 * (decision xds-0079), which pass through the same decoders and cache as those of a control plane.
 *
 * <p>Each namespace has a thread, which sends requests to the API server, waits for the answers and
 * owns the slices; the transports of finished resources belong to the control loop. Without such a
 * target no thread of this package runs, and no class of it but {@code Kubernetes} is loaded.
 */
@NullMarked
package io.outrigger.xds.kubernetes;

import org.jspecify.annotations.NullMarked;
