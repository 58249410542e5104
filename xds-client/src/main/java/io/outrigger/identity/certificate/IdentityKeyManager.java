package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Presents an {@link Identity} to TLS libraries. Presents no certificate to a server that asks for
 * another key type or for other authorities; the JDK's key manager does the same. The JDK's key
 * manager is not used: it needs a key store, and storing a key in it costs more than a handshake.
 */
@AnyThread
public final class IdentityKeyManager extends X509ExtendedKeyManager {
  private static final String ALIAS = "identity";

  private final Identity identity;
  private final List<Principal> issuers;

  public IdentityKeyManager(Identity identity) {
    this.identity = identity;
    this.issuers =
        identity.chain().stream()
            .<Principal>map(X509Certificate::getIssuerX500Principal)
            .distinct()
            .toList();
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] authorities, @Nullable SSLEngine engine) {
    return isTrustedBy(authorities) && Arrays.stream(keyTypes).anyMatch(this::isOf) ? ALIAS : null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] authorities, @Nullable Socket socket) {
    return chooseEngineClientAlias(keyTypes, authorities, null);
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] authorities) {
    String alias = chooseEngineClientAlias(new String[] {keyType}, authorities, null);
    return alias == null ? null : new String[] {alias};
  }

  /** Whether the server accepts an issuer of the chain; it accepts all if it lists none. */
  private boolean isTrustedBy(Principal @Nullable [] authorities) {
    return authorities == null
        || authorities.length == 0
        || Stream.of(authorities).anyMatch(issuers::contains);
  }

  private boolean isOf(String keyType) {
    return keyType.equals(identity.leaf().getPublicKey().getAlgorithm());
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(@Nullable String alias) {
    return ALIAS.equals(alias) ? identity.chain().toArray(X509Certificate[]::new) : null;
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(@Nullable String alias) {
    return ALIAS.equals(alias) ? identity.key() : null;
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] authorities, @Nullable SSLEngine engine) {
    return isOf(keyType) ? ALIAS : null;
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] authorities, @Nullable Socket socket) {
    return chooseEngineServerAlias(keyType, authorities, null);
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] authorities) {
    return isOf(keyType) ? new String[] {ALIAS} : null;
  }
}
