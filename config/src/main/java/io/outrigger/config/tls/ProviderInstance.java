package io.outrigger.config.tls;

/**
 * A certificate provider of the bootstrap, as a resource names it (A29 "CommonTlsContext
 * Processing").
 *
 * @param instance a key of the bootstrap's {@code certificate_providers}
 * @param certificateName which of its certificates; {@code file_watcher} has only one and ignores
 *     it. Empty when not given
 */
public record ProviderInstance(String instance, String certificateName) {
  /** Without a certificate name. */
  public ProviderInstance(String instance) {
    this(instance, "");
  }
}
