<?php

declare(strict_types=1);

namespace Headroom\Charts;

use Headroom\Support\InvalidConfig;
use Throwable;

/**
 * The HTTP response to a chart query: counts, or a problem document.
 *
 * @internal
 */
final readonly class ChartResponse
{
    private const FLAGS = JSON_UNESCAPED_SLASHES
        | JSON_UNESCAPED_UNICODE
        | JSON_INVALID_UTF8_SUBSTITUTE
        | JSON_THROW_ON_ERROR;

    private function __construct(public int $status, public string $type, public string $body) {}

    public static function of(EventCounts $counts): self
    {
        return new self(200, 'application/json', json_encode($counts, self::FLAGS));
    }

    public static function problem(Throwable $e): self
    {
        [$status, $title, $members] = match (true) {
            $e instanceof InvalidChartQuery => [400, 'The query is not valid', ['parameter' => $e->parameter]],
            $e instanceof InvalidConfig => [500, 'The charts are not configured', []],
            $e instanceof IndexUnreadable => [$e->status, $e->title, []],
            default => throw $e,
        };

        // RFC 9457.
        return new self(
            $status,
            'application/problem+json',
            json_encode(
                [
                    'type' => 'about:blank',
                    'title' => $title,
                    'status' => $status,
                    'detail' => $e->getMessage(),
                    ...$members,
                ],
                self::FLAGS,
            ),
        );
    }
}
