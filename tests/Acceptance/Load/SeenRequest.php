<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

/**
 * A request as the test server wrote it down.
 */
final readonly class SeenRequest
{
    /**
     * @param string $body its length when it is long
     * @param list<string> $headers
     * @param int $waiting how many others had not been answered yet
     */
    private function __construct(
        public string $method,
        public string $path,
        public string $body,
        public array $headers,
        public int $waiting,
    ) {}

    public static function fromLine(string $line): self
    {
        $values = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
        $values = is_array($values) ? $values : [];
        $text = static fn (int $i): string => is_scalar($values[$i] ?? null) ? (string) $values[$i] : '';
        $headers = is_array($values[3] ?? null) ? array_values(array_filter($values[3], is_string(...))) : [];

        return new self($text(0), $text(1), $text(2), $headers, (int) $text(4));
    }
}
