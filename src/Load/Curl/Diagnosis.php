<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use CurlHandle;
use Headroom\Load\Failure;

/**
 * What a failed transfer died of.
 *
 * @internal
 */
final readonly class Diagnosis
{
    // Linux errno values; ext-sockets, which names them, may not be there.
    private const EADDRNOTAVAIL = 99;

    private const ECONNRESET = 104;

    private const ECONNREFUSED = 111;

    private const EPIPE = 32;

    /** Since libcurl 8.6, which is: */
    private const TOO_LARGE = 100;

    private const KNOWS_TOO_LARGE = 0x080600;

    /** @param ?int $libcurl its version as curl_version() numbers it; null for the one that is there */
    public function __construct(private CurlHandle $handle, private ?int $libcurl = null) {}

    /** @param int $code a CURLE_* other than CURLE_OK */
    public function failure(int $code): Failure
    {
        return match ($code) {
            CURLE_OPERATION_TIMEDOUT => $this->timeout(),
            CURLE_COULDNT_RESOLVE_HOST => Failure::NotResolved,
            CURLE_COULDNT_CONNECT => $this->notConnected(),
            CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT, CURLE_SSL_CACERT_BADFILE => Failure::Tls,
            CURLE_GOT_NOTHING => Failure::ClosedUnanswered,
            CURLE_PARTIAL_FILE => Failure::CutShort,
            CURLE_SEND_ERROR, CURLE_RECV_ERROR => $this->broken(),
            self::TOO_LARGE => Failure::HeaderTooLong,
            CURLE_OUT_OF_MEMORY => $this->outOfMemory(),
            CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY => Failure::NotHttp,
            default => Failure::Other,
        };
    }

    /** libcurl's own words, but where they lead astray. */
    public function message(Failure $failure): string
    {
        return $failure === Failure::HeaderTooLong ? 'libcurl takes no header line of more than 100 kB, and no head of more than 300 kB' : curl_error($this->handle);
    }

    private function timeout(): Failure
    {
        return match (true) {
            curl_getinfo($this->handle, CURLINFO_STARTTRANSFER_TIME_T) > 0 => Failure::TimeoutReceiving,
            // Set when the request can go out, on a kept connection too.
            curl_getinfo($this->handle, CURLINFO_PRETRANSFER_TIME_T) > 0 => Failure::TimeoutWaiting,
            default => Failure::TimeoutConnecting,
        };
    }

    private function notConnected(): Failure
    {
        return match (curl_getinfo($this->handle, CURLINFO_OS_ERRNO)) {
            self::ECONNREFUSED => Failure::Refused,
            self::EADDRNOTAVAIL => Failure::NoLocalPort,
            default => Failure::NotConnected,
        };
    }

    /** So a libcurl without a word for a header that it does not take calls it. */
    private function outOfMemory(): Failure
    {
        $version = $this->libcurl ?? curl_version()['version_number'] ?? 0;

        return $version < self::KNOWS_TOO_LARGE ? Failure::HeaderTooLong : Failure::Other;
    }

    private function broken(): Failure
    {
        return in_array(curl_getinfo($this->handle, CURLINFO_OS_ERRNO), [self::ECONNRESET, self::EPIPE], true) ? Failure::Reset : Failure::Other;
    }
}
