<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Collector\Problem;
use Headroom\Collector\Response;
use Headroom\Collector\Timeouts;
use Headroom\Http\RequestPhase;

/**
 * Detects a request whose bytes arrive too slowly, or not at all.
 *
 * @internal
 */
final readonly class SlowRequest
{
    private const SECOND = 1_000_000_000;

    /**
     * @param string $reason for the metrics
     * @param ?Response $response null for a connection on which no request has begun
     */
    private function __construct(public string $reason, public ?Response $response) {}

    /**
     * @param ?int $requestSince start of the request that is being read; null between two requests
     * @param int $readAt time of the last bytes
     */
    public static function seen(
        RequestPhase $phase,
        ?BodyRate $bodyRate,
        ?int $requestSince,
        int $readAt,
        int $now,
        Timeouts $timeouts,
    ): ?self {
        $idle = $now - $readAt;

        return match (true) {
            $phase === RequestPhase::Body && $idle > $timeouts->bodyIdle * self::SECOND
                => self::of('body_timeout', "No byte of the body arrived for {$timeouts->bodyIdle} s."),
            $phase === RequestPhase::Body && $bodyRate !== null && $bodyRate->isTooSlow($now, $timeouts->bodyIdle)
                => self::of(
                    'body_rate',
                    'The body arrived with fewer than '.BodyRate::MIN_BYTES_PER_SECOND.' bytes per second.',
                ),
            $phase === RequestPhase::Body => null,
            $phase === RequestPhase::Head => $now - ($requestSince ?? $now) > $timeouts->header * self::SECOND
                ? self::of('header_timeout', "The headers were not complete within {$timeouts->header} s.")
                : null,
            default => $idle > ($requestSince === null ? $timeouts->keepAlive : $timeouts->header) * self::SECOND
                ? new self('keepalive_timeout', null)
                : null,
        };
    }

    /** Slow-POST protection: the incomplete requests exceed the memory that the worker has for them. */
    public static function overloaded(): Response
    {
        return Problem::response(
            503,
            'crowded',
            'Incomplete requests exceed the memory that the worker has for them, and it has been'
                .' reading the body of this one for the longest time. Send it again.',
            ['Retry-After' => '5'],
        );
    }

    private static function of(string $reason, string $detail): self
    {
        return new self($reason, Problem::response(408, 'request_timeout', $detail));
    }
}
