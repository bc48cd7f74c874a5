<?php

declare(strict_types=1);

namespace Headroom\Host\AccessLog;

/**
 * The times of a request in seconds, as far as the log format has them.
 *
 * @internal
 */
final readonly class Timings
{
    /** Names in common formats: nginx's variables and their short forms. */
    private const NAMES = [
        'request_time' => 'request', 'rt' => 'request', 'duration' => 'request',
        'upstream_connect_time' => 'connect', 'uct' => 'connect',
        'upstream_header_time' => 'header', 'uht' => 'header',
        'upstream_response_time' => 'response', 'urt' => 'response',
    ];

    /** Unnamed fields, in their usual order. */
    private const ORDER = ['request', 'response'];

    /**
     * @param ?float $request from the first byte of the request to the last of the answer
     * @param ?float $upstreamConnect sum over all upstream servers, as in the two below
     */
    private function __construct(
        public ?float $request,
        public ?float $upstreamConnect,
        public ?float $upstreamHeader,
        public ?float $upstreamResponse,
    ) {}

    public static function none(): self
    {
        return new self(null, null, null, null);
    }

    /**
     * Parses the text after a line in the combined format: "rt=0.012 urt="0.010"", or "0.012 0.010". A number without a
     * point does not count as a time: in Apache's logs it may be seconds, milliseconds or microseconds.
     */
    public static function parse(string $rest): self
    {
        $found = ['request' => null, 'connect' => null, 'header' => null, 'response' => null];
        $plain = 0;
        preg_match_all(
            '/(?:([a-z_]+)[=:])?(?:"([^"]*+)"|((?:[^\s",]++(?:, | : )?)++))/',
            $rest,
            $fields,
            PREG_SET_ORDER | PREG_UNMATCHED_AS_NULL,
        );

        foreach ($fields as [, $name, $quoted, $bare]) {
            $seconds = self::seconds($quoted ?? $bare ?? '');

            if ($name !== null) {
                $key = self::NAMES[$name] ?? null;
            } else {
                $isTime = $seconds !== null || ($bare === '-' && $plain > 0);
                $key = $isTime ? self::ORDER[$plain++] ?? null : null;
            }

            if ($key !== null) {
                $found[$key] ??= $seconds;
            }
        }

        return new self($found['request'], $found['connect'], $found['header'], $found['response']);
    }

    /**
     * nginx writes "0.010, 0.200" if it asked several servers, " : " between groups of servers, and "-" for a server
     * that it did not reach.
     */
    private static function seconds(string $text): ?float
    {
        $sum = null;

        foreach (explode(', ', str_replace(' : ', ', ', trim($text))) as $one) {
            if (preg_match('/\A\d{1,9}\.\d{1,6}\z/', $one) === 1) {
                $sum = ($sum ?? 0.0) + (float) $one;
            } elseif ($one !== '-') {
                return null;
            }
        }

        return $sum;
    }
}
