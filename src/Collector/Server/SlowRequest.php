<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Collector\Problem;
use Headroom\Collector\Response;
use Headroom\Collector\Timeouts;
use Headroom\Http\RequestPhase;

/**
 * A request whose bytes come too slowly, or not at all.
 *
 * @internal
 */
final readonly class SlowRequest
{
    private const SECOND = 1_000_000_000;

    /**
     * @param string $why as the metrics name it
     * @param ?Response $answer null for a connection on which no request has begun
     */
    private function __construct(public string $why, public ?Response $answer) {}

    /**
     * @param ?int $headSince when the request began that is being read; null between two requests
     * @param int $readAt when the client sent something last
     */
    public static function seen(
        RequestPhase $phase,
        MinimumBodyRate $pace,
        ?int $headSince,
        int $readAt,
        int $now,
        Timeouts $timeouts,
    ): ?self {
        $idle = $now - $readAt;

        return match (true) {
            $phase === RequestPhase::Body && $idle > $timeouts->bodyIdle * self::SECOND
                => self::of('body_idle', "Nothing of the body came for {$timeouts->bodyIdle} s."),
            $phase === RequestPhase::Body && $pace->isTooSlow($now, $timeouts->bodyIdle)
                => self::of('body_rate', 'The body came with less than '.MinimumBodyRate::BYTES.' bytes in a second.'),
            $phase === RequestPhase::Body => null,
            $phase === RequestPhase::Head => $now - ($headSince ?? $now) > $timeouts->header * self::SECOND
                ? self::of('header', "The headers were not complete within {$timeouts->header} s.")
                : null,
            default => $idle > ($headSince === null ? $timeouts->keepAlive : $timeouts->header) * self::SECOND
                ? new self('idle', null)
                : null,
        };
    }

    /** Protects against slow POST: all incomplete requests together have more bytes than the server keeps. */
    public static function crowded(): Response
    {
        return Problem::response(
            503,
            'crowded',
            'More of requests that are not whole has come than is kept here, and this one has been coming longest.'
                .' Send it again.',
            ['Retry-After' => '5'],
        );
    }

    private static function of(string $why, string $detail): self
    {
        return new self($why, Problem::response(408, 'request_timeout', $detail));
    }
}
