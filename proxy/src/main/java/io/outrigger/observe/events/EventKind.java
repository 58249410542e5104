package io.outrigger.observe.events;

public enum EventKind {
  ACK,
  NACK,
  /** The control plane sent an error instead of a resource. */
  RESOURCE_ERROR,
  RESOURCE_DELETED,
  /** An ADS stream was opened on a connection to a control plane. */
  ADS_CONNECTED,
  /** A control plane cannot be reached, or ended a stream without a response. */
  ADS_FAILED,
  /** An ADS stream to a control plane ended after a response; a new stream follows. */
  ADS_CLOSED,
  /**
   * The proxy begins to use the resources that an earlier process stored, because no control plane
   * answers; or the proxy stops using these resources.
   */
  STALE,
  /** Stored resources of an earlier process cannot be used, or resources cannot be stored. */
  STATE_PROBLEM,
  EJECT,
  UNEJECT,
  PRIORITY_SWITCH,
  /** A connection to an endpoint was lost, could not be established, or was established again. */
  ENDPOINT_STATE,
  /** A target has received a configuration and can route. */
  FORWARD_READY,
  /** All requests to a target fail, because it has no usable configuration. */
  FORWARD_FAILED,
  SERVING,
  /** A served address is closed, or calls to its open port fail. */
  NOT_SERVING,
  /** An RBAC filter denied a request; at most one event per second, served address and policy. */
  DENIED,
  /** An RBAC filter that checked all requests of a filter chain was removed or restricted. */
  RBAC_REMOVED,
  /** The default timeout of A31 applies to routes without a time limit. */
  DEFAULT_TIMEOUT,
  ALL_ENDPOINTS_FAILING,
  /** An endpoint of the cluster is reachable again after {@link #ALL_ENDPOINTS_FAILING}. */
  ENDPOINTS_BACK,
  DRAIN,
  CERTIFICATE_LOADED,
  /**
   * The newest certificate files are invalid, or the certificate in use has expired or is about to
   * expire.
   */
  CERTIFICATE_FAILED,
  DNS,
  /** The rules of local policy changed, or some rules cannot be applied. */
  OVERLAY,
  /** Connections were closed because they used the most memory. */
  MEMORY,
  /** A peer violated HTTP/2, so its connection was closed or its request was rejected. */
  PEER_ERROR
}
