package io.outrigger.config.tls;

/**
 * A resource's reference to a certificate provider of the bootstrap (A29 "CommonTlsContext
 * Processing").
 *
 * @param instance a key of the bootstrap's {@code certificate_providers}
 * @param certificateName the name of the provider's certificate; empty when not given. {@code
 *     file_watcher} has only one certificate and ignores the name
 */
public record ProviderInstance(String instance, String certificateName) {}
