package io.outrigger.observe.events;

import java.util.Locale;

/** What an event is about. */
public enum EventKind {
  /** A response of a control plane was accepted. */
  ACK,
  /** A response was refused. */
  NACK,
  /** The control plane sent an error instead of a resource. */
  RESOURCE_ERROR,
  /** The control plane removed resources. */
  RESOURCE_DELETED,
  /** A stream to a control plane was attached to a connection. */
  ADS_CONNECTED,
  /** A control plane cannot be reached, or ended a stream without a response. */
  ADS_FAILED,
  /** A stream ended after a response; it is opened again. */
  ADS_CLOSED,
  /** A control plane asks for load reports, for the first time or again. */
  LRS_CONNECTED,
  /** A control plane takes no load reports. */
  LRS_FAILED,
  EJECT,
  UNEJECT,
  PRIORITY_SWITCH,
  /** A connection to an endpoint was lost, cannot be made, or is there again. */
  ENDPOINT_STATE,
  /** A target has a configuration and can route. */
  FORWARD_READY,
  /** A target as a whole fails. */
  FORWARD_FAILED,
  /** The default of A31 limits routes that set no limit of time. */
  DEFAULT_TIMEOUT,
  /** None of a cluster's endpoints can be reached. */
  ALL_ENDPOINTS_FAILING,
  /** One of them can be again. */
  ENDPOINTS_BACK,
  DRAIN,
  /** Other certificates are in use. */
  CERTIFICATE_LOADED,
  /** The newest certificate files cannot be used, or the certificate in use ends or has ended. */
  CERTIFICATE_FAILED,
  /** A DNS name was looked up. */
  DNS,
  /** Other rules of local policy are in force, or some cannot be. */
  OVERLAY,
  /** Streams or connections were ended because they held most of the memory. */
  MEMORY,
  /** A peer broke a rule of HTTP/2: its connection was ended, or its request refused. */
  PEER_ERROR,
  /** Stands for events that are no longer kept. */
  GAP;

  /** As answers have it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
