package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;

/**
 * A fresh key on P-256, and the request that a CA certifies it (PKCS #10, RFC 2986). The request
 * has neither a subject nor names: the CA knows them from the token.
 *
 * @param key the private key, which is only in memory
 * @param pem the request
 */
@AnyThread
record SigningRequest(PrivateKey key, String pem) {
  private static final Der ECDSA_WITH_SHA256 =
      Der.of(Der.SEQUENCE, Der.oid("2A8648CE3D040302")); // RFC 5758 section 3.2

  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

  /** Makes a key and its request. Takes milliseconds. */
  static SigningRequest fresh() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair pair = generator.generateKeyPair();
      Der subject = Der.of(Der.SEQUENCE);
      Der attributes = Der.of(Der.CONTEXT_0);
      Der publicKey = Der.parse(pair.getPublic().getEncoded());
      Der info = Der.of(Der.SEQUENCE, Der.zero(), subject, publicKey, attributes);
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(pair.getPrivate());
      signature.update(info.bytes());
      Der whole = Der.of(Der.SEQUENCE, info, ECDSA_WITH_SHA256, Der.bits(signature.sign()));
      return new SigningRequest(pair.getPrivate(), pem(whole.bytes()));
    } catch (GeneralSecurityException impossible) { // every JDK has these algorithms
      throw new IllegalStateException("EC P-256 does not work in this JDK", impossible);
    }
  }

  private static String pem(byte[] der) {
    return "-----BEGIN CERTIFICATE REQUEST-----\n%s\n-----END CERTIFICATE REQUEST-----\n"
        .formatted(LINES.encodeToString(der));
  }

  /** Omits the key. */
  @Override
  public String toString() {
    return pem;
  }
}
