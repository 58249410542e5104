package io.outrigger.identity.tls;

import io.netty.handler.ssl.OpenSsl;
import io.outrigger.base.AnyThread;
import io.outrigger.identity.certificate.ServerVerifier;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The TLS libraries, and the choice between them (decision proxy-0043). */
@AnyThread
public enum TlsLibrary {
  /** The default, where it loads and can sign with the identity. */
  BORINGSSL,
  JDK;

  /** Of the process: names a library in small letters. */
  public static final String PROPERTY = "outrigger.tls.library";

  private static final Logger log = LoggerFactory.getLogger(TlsLibrary.class);

  /** Warnings that were logged before: contexts are made often. */
  private static final Set<String> warned = ConcurrentHashMap.newKeySet();

  /** The library for connections with this identity. Loads BoringSSL the first time. */
  public static TlsLibrary of(TlsMaterial material) {
    boolean canSign =
        material
            .identity()
            .map(identity -> BoringSslEngines.canSign(identity.leaf().getPublicKey()))
            .orElse(true);
    return isBoringSslWanted() && canSign && isBoringSslLoaded() ? BORINGSSL : JDK;
  }

  private static boolean isBoringSslWanted() {
    String name = System.getProperty(PROPERTY, "boringssl");
    if (!name.equals("boringssl") && !name.equals("jdk")) {
      warn(
          "-D%s=%s is neither boringssl nor jdk; it counts as boringssl".formatted(PROPERTY, name));
    }
    return !name.equals("jdk");
  }

  private static boolean isBoringSslLoaded() {
    if (!OpenSsl.isAvailable()) {
      warn("BoringSSL does not load, the JDK speaks TLS: " + OpenSsl.unavailabilityCause());
      return false;
    }
    return true;
  }

  private static void warn(String text) {
    if (warned.add(text)) {
      log.warn("{}", text);
    }
  }

  /**
   * Prepares for connections that share settings and certificates. Takes milliseconds.
   *
   * @param alpn protocols to offer, best first
   * @param verifier judges the servers
   * @throws GeneralSecurityException when the library refuses the certificates
   */
  public TlsEngines engines(TlsMaterial material, List<String> alpn, ServerVerifier verifier)
      throws GeneralSecurityException {
    return this == BORINGSSL
        ? BoringSslEngines.of(material, alpn, verifier)
        : JdkEngines.of(material, alpn, verifier);
  }
}
