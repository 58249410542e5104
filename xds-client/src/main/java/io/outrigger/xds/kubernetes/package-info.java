/**
 * Targets {@code k8s:///service.namespace:port}. The package turns EndpointSlices into xDS
 * resources (decision xds-0079). The resources pass through the same decoders and cache as the
 * resources of a control plane.
 *
 * <p>A thread of this package sends all requests. If there is no {@code k8s:///} target, the thread
 * does not run, and only the class {@code Kubernetes} is loaded.
 */
package io.outrigger.xds.kubernetes;
