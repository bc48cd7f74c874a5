<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Headroom\Http\ResponseFault;
use Headroom\Http\UnableToReadResponse;
use Headroom\Load\Failure;
use Headroom\Load\Target;
use RuntimeException;

/**
 * Why a request has no complete response.
 *
 * @internal
 */
final class UnableToExchange extends RuntimeException
{
    // Linux errno values, because ext-sockets, which has constants for them, is optional.
    private const EADDRNOTAVAIL = 99;

    private const ECONNREFUSED = 111;

    private const BROKEN = [32, 104];

    private const SHOWN_ADDRESSES = 2;

    private function __construct(
        public readonly Failure $failure,
        string $message,
        public readonly ?TlsFailure $tls = null,
    ) {
        parent::__construct($message);
    }

    public static function notResolved(string $host, string $reason): self
    {
        return new self(Failure::NotResolved, "no address is known for {$host}: {$reason}");
    }

    /** @param int $errno of connect(); 0 when it is unknown */
    public static function notConnected(string $address, int $errno, string $reason): self
    {
        $failure = match (true) {
            $errno === self::ECONNREFUSED => Failure::Refused,
            $errno === self::EADDRNOTAVAIL => Failure::NoLocalPort,
            in_array($errno, self::BROKEN, true) => Failure::Reset,
            default => Failure::NotConnected,
        };

        return new self($failure, "connecting to {$address}: ".($reason === '' ? $failure->words() : $reason));
    }

    /** @param list<string> $others messages about the addresses tried before */
    public function after(array $others): self
    {
        if ($others === []) {
            return $this;
        }

        $messages = [...array_slice($others, 0, self::SHOWN_ADDRESSES), $this->getMessage()];

        return new self($this->failure, implode('; ', $messages), $this->tls);
    }

    public static function tls(Target $target, TlsFailure $failure): self
    {
        return new self(Failure::Tls, $failure->message($target), $failure);
    }

    public static function missingOpenssl(): self
    {
        return new self(Failure::Tls, 'the PHP extension openssl is not loaded, and https needs it');
    }

    public static function reset(): self
    {
        return new self(Failure::Reset, 'the server reset the connection');
    }

    public static function unreadable(UnableToReadResponse $e): self
    {
        $failure = match ($e->fault) {
            ResponseFault::NotHttp, ResponseFault::BodyTooLarge => Failure::NotHttp,
            ResponseFault::HeaderTooLarge => Failure::HeaderTooLong,
            ResponseFault::Missing => Failure::ClosedUnanswered,
            ResponseFault::TruncatedHeader, ResponseFault::TruncatedBody => Failure::CutShort,
        };

        return new self($failure, $e->getMessage());
    }

    public static function timedOut(Failure $when, float $seconds, int $bytes): self
    {
        return new self(
            $when,
            "given up after {$seconds} s"
                .($when === Failure::TimeoutReceiving ? " with {$bytes} bytes of the body" : ''),
        );
    }
}
