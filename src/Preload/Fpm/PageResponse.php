<?php

declare(strict_types=1);

namespace Headroom\Preload\Fpm;

use Headroom\Host\Fpm\FastCgiResponse;

/**
 * The parts of an answer that are compared.
 *
 * @internal
 */
final readonly class PageResponse
{
    /** Headers that change what a browser or a cache does. */
    private const HEADERS = [
        'allow', 'cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type',
        'location', 'vary', 'www-authenticate',
    ];

    /**
     * @param array<string, string> $headers by name in lower case
     * @param list<string> $logged errors that PHP logged during the request, without time and file
     * @param bool $endsWorker whether the worker that answered has exited
     */
    private function __construct(
        public int $status,
        public array $headers,
        public string $body,
        public array $logged,
        public bool $endsWorker,
    ) {}

    /** @param list<string> $lines of PHP's log */
    public static function of(FastCgiResponse $answer, array $lines, bool $endsWorker = false): self
    {
        $headers = array_intersect_key($answer->headers, array_fill_keys(self::HEADERS, true));
        ksort($headers);
        $logged = [];

        foreach ($lines as $line) {
            if (preg_match(
                '/PHP (?:Fatal error|Parse error|Recoverable fatal error|Warning|Notice|Deprecated): +(.*)/',
                $line,
                $m,
            ) === 1) {
                $logged[] = $m[1];
            }
        }

        return new self($answer->status, $headers, $answer->body, array_values(array_unique($logged)), $endsWorker);
    }

    public function hasFailed(): bool
    {
        return $this->status >= 500;
    }
}
